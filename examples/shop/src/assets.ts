import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

export interface Asset {
  readonly type: 'text/css' | 'text/javascript'
  readonly content: string
}

/** The scripts and the styles of the payer's page, by path. */
export async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const [form, script, styles] = await Promise.all([
    bundlePaymentForm(),
    readFile(new URL('../pages/pay.js', import.meta.url), 'utf8'),
    readFile(new URL('../pages/pay.css', import.meta.url), 'utf8'),
  ])
  return new Map([
    ...form,
    ['/pay.js', { type: 'text/javascript', content: script }],
    ['/pay.css', { type: 'text/css', content: styles }],
  ])
}

/**
 * In this repository the package consists of sources, so they are bundled: the form, and a file of texts for each
 * language. Installed from npm, these are files that can be served directly.
 */
async function bundlePaymentForm(): Promise<[string, Asset][]> {
  const outDir = await mkdtemp(join(tmpdir(), 'example-shop-'))
  try {
    await build({
      config: false,
      entry: { 'payment-form': fileURLToPath(import.meta.resolve('@merchant-payments/payer-client/ui')) },
      format: 'esm',
      target: 'es2022',
      minify: true,
      dts: false,
      outDir,
      logLevel: 'error',
    })
    const files = await readdir(outDir)
    return await Promise.all(files.map((file) => load(outDir, file)))
  } finally {
    await rm(outDir, { recursive: true })
  }
}

async function load(folder: string, file: string): Promise<[string, Asset]> {
  return [`/${file}`, { type: 'text/javascript', content: await readFile(join(folder, file), 'utf8') }]
}
