import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'

const IMPORTER = '/src/words/later.ts'
const LANGUAGE = /\/form\/words\/(?:\w+)$/
const MARK = '?later'

/**
 * A language is one file, but the first screen needs only a part of it. The build reads the file twice, so that each of
 * the two scripts keeps the texts that it uses.
 */
export const splitLanguages = (): Plugin => ({
  name: 'split-languages',
  apply: 'build',
  enforce: 'pre',
  async resolveId(source, importer) {
    const isLater =
      importer?.endsWith(IMPORTER) === true && LANGUAGE.test(source) && !source.endsWith('/index')
    if (!isLater) return undefined
    const file = await this.resolve(source, importer, { skipSelf: true })
    return file === null ? undefined : file.id + MARK
  },
  load: (id) => (id.endsWith(MARK) ? readFile(id.slice(0, -MARK.length), 'utf8') : undefined),
})
