import { nowMs } from '../clock.ts'
import { formatLocale, i18n, language } from '../i18n.ts'
import { factsOf, ownZone } from '../zone.ts'

const inZone = (timeZone: string) =>
  new Intl.DateTimeFormat(formatLocale, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
const own = inZone(factsOf(ownZone).timeZone)
const other = factsOf(ownZone === 'utc' ? 'douala' : 'utc')
const inOther = inZone(other.timeZone)

/** An instant in the chosen zone. Its hint shows the time in the other zone, and its age. */
export function Time({ at }: { at: number | null }) {
  if (at === null) return <span className="quiet">–</span>
  const date = new Date(at * 1_000)
  const hint = i18n.t('{time} in {zone}, {ago}', {
    time: inOther.format(date),
    zone: other.name,
    ago: agoOf(at),
  })
  return (
    <time dateTime={date.toISOString()} title={hint}>
      {own.format(date)}
    </time>
  )
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'always' })

/** For example "3 minutes ago". */
export function agoOf(at: number): string {
  const seconds = at - Math.round(nowMs() / 1_000)
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return relative.format(Math.trunc(seconds / size), unit)
}
