import { Icon } from './icon.tsx'
import { wordOf } from './words.ts'

type Tone = 'good' | 'wait' | 'bad' | 'warn' | 'quiet'

/** A word has the same tone for every kind of object. */
const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  paid: 'good',
  approved: 'good',
  done: 'good',
  enabled: 'good',
  processing: 'wait',
  submitting: 'wait',
  live: 'wait',
  unconfirmed: 'wait',
  pending: 'wait',
  acknowledged: 'wait',
  resolved: 'good',
  running: 'wait',
  finished: 'good',
  sent: 'wait',
  accepted: 'wait',
  open: 'wait',
  raised: 'warn',
  requires_action: 'warn',
  duplicate: 'warn',
  dead_lettered: 'warn',
  obsolete: 'warn',
  mismatch: 'bad',
  failed: 'bad',
  exhausted: 'bad',
  refused: 'bad',
  declined: 'bad',
  disabled: 'bad',
}

export const toneOf = (word: string): Tone => tones[word] ?? 'quiet'

interface StatusProps {
  readonly of: string
  readonly textOf?: (word: string) => string
}

/** The status in words, with a shape and a colour. */
export function Status({ of: word, textOf = wordOf }: StatusProps) {
  const tone = toneOf(word)
  return (
    <span className={`status ${tone}`}>
      <Icon name={tone} />
      {textOf(word)}
    </span>
  )
}
