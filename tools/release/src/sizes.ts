import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from './run.ts'

/** The largest size of the main entry of each package in bytes, minified by esbuild and compressed. */
const limits: Readonly<Record<string, number>> = {
  '@merchant-payments/node-sdk': 12_600,
  '@merchant-payments/payer-client': 5_590,
  '@merchant-payments/webhook-verifier': 2_200,
}

/** Bundles each package as it was installed. Returns the sizes; rejects for one above its limit. */
export async function measureSizes(folder: string, esbuild: string): Promise<string> {
  const sizes: string[] = []
  for (const [name, limit] of Object.entries(limits)) {
    const short = name.replace('@merchant-payments/', '')
    await writeFile(join(folder, `size-${short}.mjs`), `export * from '${name}'\n`)
    const flags = ['--bundle', '--minify', '--format=esm', '--platform=node', '--log-level=error']
    const code = await run(esbuild, [`size-${short}.mjs`, ...flags], { cwd: folder })
    const bytes = gzipSync(code, { level: 9 }).byteLength
    if (bytes > limit) throw new Error(`${short} has ${bytes} bytes, more than ${limit}`)
    sizes.push(`${short} ${bytes} B`)
  }
  return sizes.join(', ')
}
