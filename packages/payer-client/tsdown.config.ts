import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

/** For pages without a bundler. It defines the global `PayerClient`. */
const SCRIPT = 'payer-client.min.js'

const common = { target: 'es2022', sourcemap: true, tsconfig: 'tsconfig.build.json' } as const

const dist = (file: string): string => fileURLToPath(new URL(`dist/${file}`, import.meta.url))

/** Writes the script's hash in the form of the attribute `integrity`. A test compares the README with it. */
async function writeIntegrity(): Promise<void> {
  const hash = createHash('sha384').update(await readFile(dist(SCRIPT)))
  const integrity = `sha384-${hash.digest('base64')}`
  await writeFile(dist('integrity.json'), `${JSON.stringify({ [SCRIPT]: integrity }, null, 2)}\n`)
}

export default defineConfig([
  { ...common, entry: ['src/index.ts'], format: ['esm', 'cjs'], dts: true },
  {
    ...common,
    entry: ['src/index.ts'],
    format: 'iife',
    globalName: 'PayerClient',
    outputOptions: { entryFileNames: SCRIPT },
    minify: true,
    clean: false,
    dts: false,
    hooks: { 'build:done': writeIntegrity },
  },
])
