/** Ends the process with a clear message on a Node that cannot run the program. `engines` in package.json names the same version. */
export function requireNode(what) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  console.error(
    `${what} needs Node 22.19 or newer, and this is ${process.version}. In the project's folder \`npm install\` brings Node 26, which ` +
      '`npm start` and `npx fulfillment` use; an install with --omit=dev or --ignore-scripts does not.',
  )
  process.exit(1)
}
