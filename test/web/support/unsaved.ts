import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The question before what was typed is lost. */
export const unsavedQuestion = (page: Page): Locator => page.getByRole('alertdialog', { name: 'Discard what you typed?' })

/** Answers it. */
export const answerUnsaved = (page: Page, answer: 'Stay' | 'Discard'): Promise<void> =>
  unsavedQuestion(page).getByRole('button', { name: answer }).click()

/** The question before a write that is under way is left. */
export const savingQuestion = (page: Page): Locator => page.getByRole('alertdialog', { name: 'Leave while this is being saved?' })

/** Answers the question about a write under way, which does not say that it is not saved. */
export async function answerSaving(page: Page, name: 'Stay' | 'Leave'): Promise<void> {
  await savingQuestion(page).waitFor()
  expect(await unsavedQuestion(page).count()).toBe(0)
  await savingQuestion(page).getByRole('button', { name }).click()
  await savingQuestion(page).waitFor({ state: 'detached' })
}
