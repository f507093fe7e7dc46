import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedPackages, version } from './checkout.ts'

// `pnpm release:version`: writes the versions and changelogs that the changesets ask for. It keeps the API of each
// package as that of the release, with which later changes are compared.
const folder = fileURLToPath(new URL('../../..', import.meta.url))
await version({ folder })
for (const { path, command } of await publishedPackages({ folder })) {
  // A program has no API.
  if (command !== null) continue
  const api = join(folder, path, 'api')
  const released = join(api, 'released')
  await mkdir(released, { recursive: true })
  for (const file of await readdir(api)) {
    if (file.endsWith('.txt')) await copyFile(join(api, file), join(released, file))
  }
}
