// Plain JavaScript that any Node can parse: says in one sentence that this Node is too old.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 22) {
  console.error(
    `file-resolver needs Node.js 22 or newer, and this is ${process.versions.node}: install Node 24 (on Linux x64, "npm ci" brings it along for npm's scripts).`,
  )
  process.exit(1)
}
