import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'
import { buildStarter } from './build-starter.ts'

const STARTER_TAG = /\s*<script type="module" src="\/src\/starter\.ts"><\/script>/

/**
 * Makes the built page fast on a slow network: inlines the starter in the document, preloads the main script
 * and compresses each file. `headers.json` lists the headers that a host must send with the document.
 */
export function checkoutShell(target: string[]): Plugin {
  let base = '/'
  return {
    name: 'checkout-shell',
    apply: 'build',
    enforce: 'post',
    configResolved: (config) => {
      base = config.base
    },
    transformIndexHtml: { order: 'pre', handler: (html) => html.replace(STARTER_TAG, '') },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset') return this.error('the build has no index.html')
        const main = base + mainScript(bundle)
        const starter = await buildStarter(main, target)
        const html = withScripts(String(page.source), main, starter)
        page.source = html
        const headers = headersFor({ styles: stylesIn(html), starter })
        this.emitFile({
          type: 'asset',
          fileName: 'headers.json',
          source: `${JSON.stringify(headers, null, 2)}\n`,
        })
        for (const [name, content] of compressible(bundle)) {
          this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotliCompressSync(content) })
          this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(content, { level: 9 }) })
        }
        return undefined
      },
    },
  }
}

type Bundle = Rolldown.OutputBundle

function stylesIn(html: string): string {
  const [, styles] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  if (styles === undefined) throw new Error('the document has no styles')
  return styles
}

/** Preloads the main script at low priority, so that the session's answer does not queue behind it. */
const withScripts = (html: string, main: string, starter: string): string =>
  html.replace(
    '<style>',
    () =>
      `<link rel="modulepreload" crossorigin fetchpriority="low" href="${main}">\n` +
      `    <script>${starter}</script>\n    <style>`,
  )

function mainScript(bundle: Bundle): string {
  const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main')
  if (main === undefined) throw new Error('the build has no main script')
  return main.fileName
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

interface Inline {
  readonly styles: string
  readonly starter: string
}

/**
 * Allows the one inline script and the one inline style by their hashes. Forbids eval, and every other origin
 * but the API.
 */
function headersFor({ styles, starter }: Inline): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${sourceOf(starter)}`,
      `style-src ${sourceOf(styles)}`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'cache-control': 'no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
}

function* compressible(bundle: Bundle): Generator<[string, string | Uint8Array]> {
  for (const file of Object.values(bundle)) {
    if (file.type === 'chunk') yield [file.fileName, file.code]
    else if (file.fileName === 'index.html') yield [file.fileName, file.source]
  }
}
