import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

/** For pages without a bundler. They define the globals `PayerClient` and `PaymentForm`. */
const SCRIPTS = ['payer-client.min.js', 'payment-form.min.js'] as const

const common = { target: 'es2022', sourcemap: true, tsconfig: 'tsconfig.build.json' } as const
/** The form needs the DOM's types. */
const ofForm = {
  ...common,
  tsconfig: 'ui/tsconfig.json',
  clean: false,
  // Its types, and nothing else, import the other entry.
  deps: { neverBundle: [/^@merchant-payments\/payer-client/, 'react'] },
}

const dist = (file: string): string => fileURLToPath(new URL(`dist/${file}`, import.meta.url))

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Makes a script ASCII alone: a browser reads it in the encoding of its page, which may be another than UTF-8. */
async function finish(script: string): Promise<string> {
  const code = (await readFile(dist(script), 'utf8')).replaceAll(/[\u0080-\uffff]/g, escaped)
  await writeFile(dist(script), code)
  return `sha384-${createHash('sha384').update(code).digest('base64')}`
}

let unbuilt: number = SCRIPTS.length

/**
 * Finishes the scripts once all are built, and writes their hashes in the form of the attribute `integrity`. A test
 * compares the README with them.
 */
async function writeIntegrity(): Promise<void> {
  unbuilt -= 1
  if (unbuilt > 0) return
  const entries = await Promise.all(SCRIPTS.map(async (script) => [script, await finish(script)] as const))
  await writeFile(dist('integrity.json'), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}

const script = (file: (typeof SCRIPTS)[number], globalName: string) =>
  ({
    format: 'iife',
    globalName,
    outputOptions: { entryFileNames: file, codeSplitting: false },
    minify: true,
    clean: false,
    dts: false,
    hooks: { 'build:done': writeIntegrity },
  }) as const

// Each entry can also be served as it is, so the form's has its own copy of the client.
export default defineConfig([
  { ...common, entry: ['src/index.ts'], format: ['esm', 'cjs'], dts: true },
  { ...ofForm, entry: { ui: 'ui/index.ts', 'ui-react': 'ui/react.ts' }, format: ['esm', 'cjs'], dts: true },
  { ...common, ...script(SCRIPTS[0], 'PayerClient'), entry: ['src/index.ts'] },
  { ...ofForm, ...script(SCRIPTS[1], 'PaymentForm'), entry: ['ui/script.ts'] },
])
