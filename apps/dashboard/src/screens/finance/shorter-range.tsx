import { nowMs } from '../../clock.ts'
import { i18n } from '../../i18n.ts'
import { type Search, since } from '../../search.ts'
import { factsOf, type Zone } from '../../zone.ts'

/** The API refuses a summary of more days. */
const DAYS_MAX = 31
const DEFAULT_DAYS = 7
const DAY_SEC = 86_400

interface ShorterRangeProps {
  /** The bounds of the refused summary. */
  readonly bounds: Readonly<Record<string, string | undefined>>
  readonly zone: Zone
  readonly show: (bound: Pick<Search, 'from'>) => void
}

/** Leads on from a summary that covers too much: to as many days as the screen takes, or to half of them. */
export function ShorterRange({ bounds, zone, show }: ShorterRangeProps) {
  const nowSec = Math.floor(nowMs() / 1_000)
  const endSec = Math.min(Number(bounds['created[lt]'] ?? nowSec), nowSec)
  const startSec = Number(bounds['created[gte]'] ?? endSec - DEFAULT_DAYS * DAY_SEC)
  const dayOf = (sec: number) => Math.floor((sec + factsOf(zone).offsetSec) / DAY_SEC)
  const days = dayOf(endSec - 1) - dayOf(startSec) + 1
  const fewer = days > DAYS_MAX ? DAYS_MAX : Math.floor(days / 2)
  const { from } = since(endSec - 1 - (fewer - 1) * DAY_SEC, zone)
  return (
    <>
      <p>
        {i18n.t(
          'The screen cannot sum up so much. Choose fewer days or one merchant, or download the file, which takes more.',
        )}
      </p>
      {fewer > 0 && (
        <button type="button" onClick={() => show({ from: from?.slice(0, 10) })}>
          {i18n.t('{days, plural, one {Show the last day of these} other {Show the last # days of these}}', {
            days: fewer,
          })}
        </button>
      )}
    </>
  )
}
