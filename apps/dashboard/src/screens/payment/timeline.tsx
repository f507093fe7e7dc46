import type { StaffIntentDetail } from '@merchant-payments/contract'
import { useRailNames } from '../../rail-names.ts'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { stepOf, wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'

const attemptsOf = (count: number) => i18n.t('{count, plural, one {# attempt} other {# attempts}}', { count })

interface PaymentTimelineProps {
  readonly entries: StaffIntentDetail['timeline']
  readonly paymentId: string
}

/** All entries, oldest first. */
export function PaymentTimeline({ entries, paymentId }: PaymentTimelineProps) {
  const railNames = useRailNames()
  const steps = entries.map((entry, index) => {
    const { at, source, id, text, detail, attempts, state } = entry
    return {
      key: `${id}${text}${index}`,
      at,
      source,
      text: (
        <>
          {stepOf(entry, railNames)}
          {attempts !== null && <span className="quiet"> · {attemptsOf(attempts)}</span>}
          {state && <span className="quiet"> · {i18n.t('Now: {word}', { word: wordOf(state) })}</span>}
          {detail !== null && <span className="quiet"> · {detail}</span>}
        </>
      ),
      link: id === paymentId ? <span /> : <ObjectLink id={id} />,
    }
  })
  return <Timeline steps={steps} />
}
