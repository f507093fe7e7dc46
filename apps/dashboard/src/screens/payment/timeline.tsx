import type { StaffIntentDetail } from '@merchant-payments/contract'
import { useRailNames } from '../../rail-names.ts'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { stepOf } from '../../ui/words.ts'
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
    const { at, source, id, text, detail, attempts } = entry
    return {
      key: `${id}${text}${index}`,
      at,
      source,
      text: (
        <>
          {stepOf(entry, railNames)}
          {attempts !== null && <span className="quiet"> · {attemptsOf(attempts)}</span>}
          {detail !== null && <span className="quiet"> · {detail}</span>}
        </>
      ),
      link: id === paymentId ? <span /> : <ObjectLink id={id} />,
    }
  })
  return <Timeline steps={steps} />
}
