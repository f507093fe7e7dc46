import type { Form } from './form.ts'
import { type Kind, secondsOf } from './state.ts'
import { bad } from './verdict.ts'

export const CREATED = ['created[gte]', 'created[lt]'] as const

/** docs/spec-gaps.md, filters of lists: what is given must all hold. */
export function madeIn(form: Form): (atSec: number) => boolean {
  const [from, until] = CREATED.map((name) => {
    const at = form.text(name)
    if (at !== undefined && !/^\d{1,10}$/.test(at)) throw bad(name)
    return at === undefined ? undefined : Number(at)
  })
  return (atSec) => (from === undefined || atSec >= from) && (until === undefined || atSec < until)
}

/** An id that nobody has matches nothing; one of another kind is a fault. */
export function idIn(form: Form, name: string, kind: Kind): (id: string | null) => boolean {
  const wanted = form.text(name)
  if (wanted !== undefined && !wanted.startsWith(`⟨${kind} `)) throw bad(name)
  return (id) => wanted === undefined || id === wanted
}

export function wordIn(form: Form, name: string, words: readonly string[]): (word: string) => boolean {
  const wanted = form.oneOf(name, words)
  return (word) => wanted === null || word === wanted
}

/** By the second that the object shows. */
export const wasMade =
  (form: Form) =>
  ({ madeMs }: { readonly madeMs: number }): boolean =>
    madeIn(form)(secondsOf(madeMs))
