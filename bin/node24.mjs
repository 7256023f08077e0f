// Where no optional dependency brings Node 24 (a Mac, say), an older Node of the machine gets one line instead of a syntax error.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `The plant store needs Node 24 or later; this is ${process.version}. Get it from https://nodejs.org, then run "npm ci" again.`,
  );
  process.exit(1);
}
