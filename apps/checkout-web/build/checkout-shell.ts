import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/**
 * Makes the built page quick on a slow network: its main script starts to load with the first one, and each file is
 * there compressed. `headers.json` is what a host must send with the document, whose styles stand in it.
 */
export const checkoutShell = (): Plugin => ({
  name: 'checkout-shell',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') return this.error('the build has no index.html')
      const html = withPreload(String(page.source), mainScript(bundle))
      page.source = html
      this.emitFile({
        type: 'asset',
        fileName: 'headers.json',
        source: `${JSON.stringify(headersFor(stylesIn(html)), null, 2)}\n`,
      })
      for (const [name, content] of compressible(bundle)) {
        this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotliCompressSync(content) })
        this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(content, { level: 9 }) })
      }
      return undefined
    },
  },
})

type Bundle = Rolldown.OutputBundle

function stylesIn(html: string): string {
  const [, styles] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  if (styles === undefined) throw new Error('the document has no styles')
  return styles
}

const withPreload = (html: string, script: string): string =>
  html.replace('</head>', () => `  <link rel="modulepreload" crossorigin href="/c/${script}">\n  </head>`)

function mainScript(bundle: Bundle): string {
  const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main')
  if (main === undefined) throw new Error('the build has no main script')
  return main.fileName
}

/** No inline script and no eval; the one inline style by its hash; nothing from another origin but the API. */
function headersFor(styles: string): Record<string, string> {
  const hash = createHash('sha256').update(styles).digest('base64')
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'sha256-${hash}'`,
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
