/**
 * Leaves out of a published manifest what only this repository uses: its scripts, and devDependencies that name private
 * packages. Adds the addresses of the repository.
 */
function beforePacking(manifest) {
  const { scripts: _scripts, devDependencies: _devDependencies, ...published } = manifest
  return { ...published, ...addressesOf(manifest.repository) }
}

/** The forge names the repository to its workflows (release.yml). A copy of the tree elsewhere has no address. */
function addressesOf(repository) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: path } = process.env
  if (!repository || !server || !path) return {}
  const url = `${server}/${path}`
  return {
    homepage: `${url}/tree/main/${repository.directory}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { ...repository, url: `git+${url}.git` },
  }
}

export const hooks = { beforePacking }
