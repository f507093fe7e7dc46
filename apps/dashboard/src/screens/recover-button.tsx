import { RECOVERY_MS } from '@merchant-payments/contract/delivery-ladder'
import { nowMs } from '../clock.ts'
import { since } from '../search.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { i18n } from '../i18n.ts'
import { ownZone, zoneName } from '../zone.ts'

interface RecoverButtonProps {
  readonly merchant: string
  readonly endpoint: string
}

/** Sends all exhausted deliveries of an endpoint again. */
export const RecoverButton = ({ merchant, endpoint }: RecoverButtonProps) => (
  <ChangeButton
    change="recoverDeliveries"
    id={merchant}
    subject={`${merchant} / ${endpoint}`}
    values={{ endpoint }}
    action={i18n.t('Send all again since…')}
    fields={[
      {
        name: 'from',
        label: i18n.t('Deliveries created since, {zone}', { zone: zoneName }),
        hint: i18n.t(
          'When the endpoint began to fail. The time that is filled in finds what was given up in the last 24 hours, after more than a day of attempts. At most 10,000 are sent, the oldest first.',
        ),
        value: since(Math.floor((nowMs() - RECOVERY_MS) / 1_000), ownZone).from?.slice(0, 16) ?? '',
        isRequired: true,
        isInstant: true,
      },
    ]}
    consequence={
      <p>
        {i18n.t(
          'The worker posts each exhausted delivery again, with a new series of attempts. New events go on meanwhile. The endpoint may have received an event before, so it must handle it twice.',
        )}
      </p>
    }
  />
)
