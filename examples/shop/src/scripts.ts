import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

/** The scripts of the payer's page, by path. */
export async function loadScripts(): Promise<ReadonlyMap<string, string>> {
  const [payerClient, pay] = await Promise.all([
    bundlePayerClient(),
    readFile(new URL('../pages/pay.js', import.meta.url), 'utf8'),
  ])
  return new Map([
    ['/payer-client.js', payerClient],
    ['/pay.js', pay],
  ])
}

/**
 * In this repository the package consists of sources, so they are bundled. Installed from npm, it is one file
 * that can be served directly.
 */
async function bundlePayerClient(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'example-shop-'))
  try {
    await build({
      config: false,
      entry: { 'payer-client': fileURLToPath(import.meta.resolve('@merchant-payments/payer-client')) },
      format: 'esm',
      target: 'es2022',
      minify: true,
      dts: false,
      outDir,
      logLevel: 'error',
    })
    return await readFile(join(outDir, 'payer-client.mjs'), 'utf8')
  } finally {
    await rm(outDir, { recursive: true })
  }
}
