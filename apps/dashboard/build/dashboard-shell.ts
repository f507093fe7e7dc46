import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { documentPaths } from '../src/document-paths.ts'

/**
 * Writes what a host needs to serve the built page: `headers.json` with the document's headers, and
 * `paths.json` with the paths of the document. It also compresses each file.
 */
export const dashboardShell = (): Plugin => ({
  name: 'dashboard-shell',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const emit = (fileName: string, source: string | Uint8Array) =>
        this.emitFile({ type: 'asset', fileName, source })
      for (const file of Object.values(bundle)) {
        const content = file.type === 'chunk' ? file.code : file.source
        emit(`${file.fileName}.br`, brotliCompressSync(content))
        emit(`${file.fileName}.gz`, gzipSync(content, { level: 9 }))
      }
      emit('headers.json', `${JSON.stringify(headers, null, 2)}\n`)
      emit('paths.json', `${JSON.stringify(documentPaths, null, 2)}\n`)
    },
  },
})

/** Forbids inline code, other origins and frames. */
const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
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
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
