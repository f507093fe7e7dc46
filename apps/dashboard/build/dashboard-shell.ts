import { hostFiles } from '@merchant-payments/page-build'
import type { Plugin } from 'vite'
import { documentPaths } from '../src/document-paths.ts'

/**
 * Writes what a host needs to serve the built page, and `paths.json` with the paths of the document. The policy forbids
 * inline code.
 */
export const dashboardShell = (): Plugin => ({
  name: 'dashboard-shell',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const policy = { scripts: "'self'", styles: "'self'", referrer: 'same-origin' } as const
      const files = Object.values(bundle).map(
        (file) => [file.fileName, file.type === 'chunk' ? file.code : file.source] as const,
      )
      for (const [fileName, source] of hostFiles(policy, files)) {
        this.emitFile({ type: 'asset', fileName, source })
      }
      const paths = `${JSON.stringify(documentPaths, null, 2)}\n`
      this.emitFile({ type: 'asset', fileName: 'paths.json', source: paths })
    },
  },
})
