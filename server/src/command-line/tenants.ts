import { InvalidArgumentError, type Command } from 'commander'
import { insertApiKey } from '../domain/api-keys/index.ts'
import { recordCommand } from '../domain/audit/index.ts'
import { trimmedText } from '../procedures/fields/fields.ts'
import { createTenant } from '../domain/tenants/index.ts'
import { runOnDatabase, table } from './run.ts'

export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('Manage tenants')

  tenants
    .command('create')
    .description('Create a tenant with an admin key. The key is shown only once')
    .argument('<name>', 'name of the tenant, up to 255 characters', tenantName)
    .option('--json', 'print one JSON object: tenant_id, name, api_key')
    .action((name: string, options: { json?: boolean }) =>
      runOnDatabase(options, (db) =>
        db.transaction(async (tx) => {
          const tenant = await createTenant(tx, name)
          const { key } = await insertApiKey(tx, tenant.id, 'live', { name: 'admin key', preset: 'full_access' })
          await recordCommand(tx, {
            tenantId: tenant.id,
            command: 'tenants create',
            operation: 'tenants.create',
            input: { name },
          })
          return {
            json: { tenant_id: tenant.id, name, api_key: key },
            text: `Tenant ${tenant.id} "${name}"\nAdmin API key (shown only now)  ${key}`,
          }
        }),
      ),
    )

  tenants
    .command('list')
    .description('List all tenants')
    .option('--json', 'print one JSON object: tenants, an array of tenant_id, name, created_at')
    .action((options: { json?: boolean }) =>
      runOnDatabase(options, async (db) => {
        const rows = await db.kysely
          .selectFrom('tenants')
          .select(['id as tenant_id', 'name', 'created_at'])
          .where('sandbox_of', 'is', null)
          .orderBy('id')
          .execute()
        return {
          json: { tenants: rows },
          text: table([['ID', 'NAME', 'CREATED'], ...rows.map((row) => [String(row.tenant_id), row.name, row.created_at])]),
        }
      }),
    )
}

function tenantName(text: string): string {
  const { data, error } = trimmedText(255).safeParse(text)
  if (data === undefined) throw new InvalidArgumentError(error?.issues[0]?.message ?? 'is not a name')
  return data
}
