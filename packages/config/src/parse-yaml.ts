import { load, YAMLException } from 'js-yaml'
import { ConfigError } from './faults.ts'

/**
 * Values of a file, where each alias counts as all that it stands for. A file with 50 000 merchants has fewer. An
 * attack with nested aliases exceeds it at once.
 */
const VALUES_MAX = 2_000_000

/**
 * Parses YAML 1.2, of which JSON is a part.
 * @throws {ConfigError} that quotes nothing of the text, which may hold secrets
 */
export function parseYaml(text: string): unknown {
  const document = loaded(text)
  if (countValues(document) > VALUES_MAX) {
    throw new ConfigError([{ path: 'the file', message: 'has too many values, or too many aliases' }])
  }
  return document
}

function loaded(text: string): unknown {
  try {
    return load(text)
  } catch (error) {
    const { mark, reason } = error instanceof YAMLException ? error : { mark: undefined, reason: '' }
    const path = mark === undefined ? 'the file' : `line ${mark.line + 1}, column ${mark.column + 1}`
    const because = isOwnWords(reason) ? `: ${reason}` : ''
    throw new ConfigError([{ path, message: `is not valid YAML${because}` }])
  }
}

/**
 * Whether the message quotes nothing of the file: what the parser quotes has quotation marks, which this pattern
 * refuses.
 */
const isOwnWords = (reason: string): boolean => /^[a-z ,;-]+$/.test(reason)

/** Stops once it has counted too many, so that it also ends for aliases of aliases and for one within itself. */
function countValues(document: unknown): number {
  const left: unknown[] = [document]
  let counted = 0
  while (left.length > 0 && counted <= VALUES_MAX) {
    const value = left.pop()
    counted += 1
    if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) left.push(part)
    }
  }
  return counted
}
