/** Ends the process with a clear message if this Node is too old. `engines` in package.json names the same version. */
export function requireNode(what) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  console.error(
    `${what} needs Node 22.19 or newer, and this is ${process.version}. Run \`npm install\` in the project's folder, without --omit=dev ` +
      'and --ignore-scripts: it brings Node 26, which `npm start` and `npx fulfillment` use. Or install a newer Node.',
  )
  process.exit(1)
}
