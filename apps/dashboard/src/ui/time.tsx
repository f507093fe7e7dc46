import { nowMs } from '../clock.ts'

const inZone = (timeZone: string) =>
  new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone })
const utc = inZone('UTC')
const douala = inZone('Africa/Douala')

/** An instant in UTC. Its hint shows Douala's time and its age. */
export function Time({ at }: { at: number | null }) {
  if (at === null) return <span className="quiet">–</span>
  const date = new Date(at * 1_000)
  return (
    <time dateTime={date.toISOString()} title={`${douala.format(date)} in Douala, ${agoOf(at)}`}>
      {utc.format(date)}
    </time>
  )
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** For example "3 minutes ago". */
export function agoOf(at: number): string {
  const seconds = at - Math.round(nowMs() / 1_000)
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return relative.format(Math.trunc(seconds / size), unit)
}
