import type { Locator, Page } from 'playwright-core'

/** The question before what was typed is lost. */
export const unsavedQuestion = (page: Page): Locator => page.getByRole('alertdialog', { name: 'Discard what you typed?' })

/** Answers it. */
export const answerUnsaved = (page: Page, answer: 'Stay' | 'Discard'): Promise<void> =>
  unsavedQuestion(page).getByRole('button', { name: answer }).click()

/** The question before a write that is under way is left. */
export const savingQuestion = (page: Page): Locator => page.getByRole('alertdialog', { name: 'Leave while this is being saved?' })
