/**
 * Leaves out of a published manifest what only this repository uses: its scripts, and devDependencies that name private
 * packages.
 */
function beforePacking(manifest) {
  const { scripts: _scripts, devDependencies: _devDependencies, ...published } = manifest
  return published
}

export const hooks = { beforePacking }
