import { z } from 'zod'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { eventData, recordEvents } from '@fulfillment/server/domain/events/index.ts'
import { endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import { eventTopic } from '@fulfillment/server/procedures/event-topics.ts'
import { text } from '@fulfillment/server/procedures/fields/fields.ts'
import { listSlices, slice } from '@fulfillment/server/procedures/slice.ts'
import { SLICES } from '@fulfillment/server/slices.ts'

// The slice that docs/architecture.md creates: a table, an endpoint and a topic.

const noteCreated = eventTopic({
  name: 'note/created',
  data: z
    .object({ note_id: z.int().describe('Id of the note.'), text: z.string().describe('Text of the note.') })
    .describe('A note was written.'),
  sample: { note_id: 7, text: 'Fragile' },
})

const insertNote = statement<[tenantId: number, text: string], { id: number }>({
  name: 'insert_note',
  connection: 'write',
  sql: `with created as (
     insert into notes (tenant_id, id, text) values ($1, (select count(*) + 1 from notes where tenant_id = $1), $2) returning *
   ), note_event as (
     select 1 as position, 'note/created' as topic, ${eventData(noteCreated, { note_id: 'c.id', text: 'c.text' })} as data from created c
   ), ${recordEvents('note_event')}
   select id from created`,
})

const createNote = endpoint({
  name: 'notes.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/notes',
  summary: 'Write a note',
  description: 'Sends `note/created`.',
  errors: ['already_exists'],
  input: z.object({
    text: text(4_000, { minLength: 1 })
      .describe('Text of the note.')
      .meta({ examples: ['Fragile'] }),
  }),
  output: z.object({ id: z.int().describe('Id of the note.') }),
  run: async ({ db, caller }, { text }) => {
    const [note] = await db.run(insertNote, [caller.tenantId, text])
    return note as { id: number }
  },
})

const notes = slice({
  tags: [{ name: 'notes', description: 'Notes.' }],
  endpoints: [createNote],
  topics: [noteCreated],
  constraints: { notes_text_key: { code: 'already_exists', message: 'A note with this text exists' } },
})
/** All slices of the service and the new one. */
export const WITH_NOTES = listSlices(...SLICES, notes)
