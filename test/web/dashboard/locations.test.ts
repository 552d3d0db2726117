import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { seed, signIn } from '../support/page-server.ts'

describe('a location', () => {
  it('shows what it is good for and its place in the pick order, which can be changed', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    await seed(tenant, '/locations', { id: 'A-01', pick_sequence: 40 })
    await seed(tenant, '/locations', { id: 'Q-01', name: 'Damaged goods', pickable: false, sellable: false })
    await signIn(page, tenant.key, '/locations')
    const table = page.getByRole('table', { name: 'Locations' })
    const cellsOf = async (id: string): Promise<string[]> => {
      const cells = await table.getByRole('row').filter({ hasText: id }).getByRole('cell').allInnerTexts()
      return cells.slice(-4, -1)
    }
    await table.getByRole('button', { name: 'Edit A-01' }).waitFor()
    expect(await cellsOf('A-01')).toEqual(['40', 'Yes', 'Yes'])
    expect(await cellsOf('Q-01')).toEqual([expect.any(String), 'No', 'No'])

    await table.getByRole('button', { name: 'Edit A-01' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit A-01' })
    const sequence = dialog.getByRole('spinbutton', { name: 'Pick sequence' })
    await sequence.fill('-1')
    await dialog.getByRole('checkbox', { name: 'Pickable' }).setChecked(false, { force: true })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await sequence.getAttribute('aria-invalid')).toBe('true')
    await sequence.fill('7')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved A-01').last().waitFor()
    await expect.poll(() => cellsOf('A-01')).toEqual(['7', 'No', 'Yes'])

    await table.getByRole('button', { name: 'Edit A-01' }).click()
    await sequence.fill(' ')
    await dialog.getByRole('checkbox', { name: 'Sellable' }).setChecked(false, { force: true })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await cellsOf('A-01')).slice(1)).toEqual(['No', 'No'])
    const { locations } = (await tenant.request('GET', '/locations')).body.data
    expect(locations[0]).toMatchObject({ id: 'A-01', pickable: false, sellable: false, pick_sequence: null })
    const { entries } = (await tenant.request('GET', '/audit-log?operation=locations.update')).body.data
    // Only what was changed is sent.
    expect(entries.map(({ input }: { input: object }) => input)).toContainEqual({
      id: 'A-01',
      sellable: false,
      pick_sequence: null,
    })
  })
})
