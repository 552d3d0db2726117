/** Why a file cannot be imported at all. The message is for the user. */
export class FileProblem extends Error {
  override name = 'FileProblem'
}
