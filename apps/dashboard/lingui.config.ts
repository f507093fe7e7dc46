import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

/** The English text of a message is its id. A message that French lacks fails the compilation. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'fr'],
  catalogs: [{ path: '<rootDir>/src/locales/{locale}', include: ['<rootDir>/src'] }],
  format: formatter({ lineNumbers: false, origins: false }),
  compileNamespace: 'ts',
})
