/** Rule 2 of the style guide in CONTRIBUTING.md. */
const WORDS_MAX = 25
/** Rule 7. */
const SUBJECT_CHARS_MAX = 65
/** A clause with this many commas is a list, which may be longer. */
const LIST_COMMAS = 3

/** Openings of rule 1: they put the object before its subject. */
const INVERTED = /^(?:Of|Whatever|Whoever|What is|Only now|That which)\b/

export interface Finding {
  readonly line: number
  readonly problem: string
}

/** Finds sentences of a TypeScript file's comments that are too long or begin with an inversion. */
export const checkComments = (source: string): Finding[] =>
  commentsOf(source).flatMap(({ line, text }) =>
    sentencesOf(text).flatMap((sentence) => {
      const problem = problemOf(sentence)
      return problem === null ? [] : [{ line, problem: `${problem}: ${sentence}` }]
    }),
  )

export const checkSubject = (subject: string): string | null =>
  subject.length <= SUBJECT_CHARS_MAX
    ? null
    : `${subject.length} characters, more than ${SUBJECT_CHARS_MAX}: ${subject}`

function problemOf(sentence: string): string | null {
  const [opening] = INVERTED.exec(sentence) ?? []
  if (opening !== undefined) return `opens with "${opening}"`
  const words = Math.max(...sentence.split(/[;:] /).map(wordsIn))
  return words > WORDS_MAX ? `${words} words, more than ${WORDS_MAX}` : null
}

function wordsIn(clause: string): number {
  if (clause.split(',').length > LIST_COMMAS) return 0
  const withoutCode = clause.replaceAll(/`[^`]*`/g, 'code')
  return withoutCode.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word)).length
}

const sentencesOf = (text: string): string[] =>
  text
    .trim()
    .split(/(?<=[.?!])\s+(?=[A-Z0-9`])/)
    .filter(Boolean)

interface Comment {
  readonly line: number
  readonly text: string
}

/** Joins the lines of each comment. Examples, tags and directives of tools are left out. */
function commentsOf(source: string): Comment[] {
  const comments: { line: number; text: string; isOpen: boolean }[] = []
  let isExample = false
  for (const [index, line] of source.split('\n').entries()) {
    const [, start, words = ''] = /^\s*(\/\*\*?|\/\/|\*(?!\/))\s?(.*?)(?:\s*\*\/)?$/.exec(line) ?? []
    const last = comments.at(-1)
    if (start === undefined || /^(?:oxlint|@ts-|biome)/.test(words)) {
      if (last !== undefined) last.isOpen = false
      continue
    }
    if (start.startsWith('/*')) isExample = false
    if (words.startsWith('@example')) isExample = true
    if (isExample) continue
    const begins = start.startsWith('/*') || last?.isOpen !== true || /^(?:@|-|$)/.test(words)
    const text = words.replace(/^(?:@\w+|-) ?/, '')
    if (begins) comments.push({ line: index + 1, text, isOpen: !line.includes('*/') })
    else last.text += ` ${text}`
    const current = comments.at(-1)
    if (current !== undefined) current.isOpen = !line.trimEnd().endsWith('*/')
  }
  return comments
}
