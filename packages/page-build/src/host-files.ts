import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Where a page differs from the others. */
interface PagePolicy {
  /** Sources of scripts and styles, as `script-src` and `style-src` of the content security policy. */
  readonly scripts: string
  readonly styles: string
  readonly referrer: 'no-referrer' | 'same-origin'
}

type BuiltFile = readonly [name: string, content: string | Uint8Array]

/** What a host needs to serve a built page: `headers.json` with the headers of its document, and each file compressed. */
export function* hostFiles(policy: PagePolicy, files: readonly BuiltFile[]): Generator<BuiltFile> {
  yield ['headers.json', `${JSON.stringify(headersOf(policy), null, 2)}\n`]
  for (const [name, content] of files) {
    yield [`${name}.br`, brotliCompressSync(content)]
    yield [`${name}.gz`, gzipSync(content, { level: 9 })]
  }
}

/** Forbids eval, frames, and every other origin but the API. */
const headersOf = ({ scripts, styles, referrer }: PagePolicy): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
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
  'referrer-policy': referrer,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})
