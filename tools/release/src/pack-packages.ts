import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { publishedPackages } from './checkout.ts'
import { pnpm } from './run.ts'

// `pnpm pack:packages`: writes the published packages of the working tree as files that npm installs, for those who have
// no registry. `pnpm release` packs a clean checkout, and checks what it packs.
const folder = fileURLToPath(new URL('../../..', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string', default: join(folder, 'dist/packages') } } })
const out = resolve(values.out)
await mkdir(out, { recursive: true })
for (const { path, short } of await publishedPackages({ folder })) {
  const file = join(out, `${short}.tgz`)
  await pnpm(['pack', '--out', file], { cwd: join(folder, path) })
  console.log(relative(process.cwd(), file))
}
