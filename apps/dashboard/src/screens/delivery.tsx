import { Trans } from '@lingui/react'
import type { StaffDeliveryDetail } from '@merchant-payments/contract'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { CopiedId } from '../ui/copied-id.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { aboutOf } from './delivery/about-of.ts'
import { RawBody } from './delivery/raw-body.tsx'
import { RequestAsSent } from './delivery/request.tsx'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

/** Short, so that the result of a replay appears soon. */
const REFRESH_MS = 2_000

export function DeliveryScreen() {
  const { id } = useParams({ from: '/deliveries/$id' })
  const delivery = useRead('delivery', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Delivery')} of={delivery}>
      {(detail) => <Delivery key={detail.id} delivery={detail} />}
    </LoadedPage>
  )
}

function Delivery({ delivery }: { delivery: StaffDeliveryDetail }) {
  const { id, status, dead_lettered: isDead, endpoint, event_text: text } = delivery
  const canReplay = status === 'exhausted' || isDead
  return (
    <Page
      title={i18n.t('Delivery {id}', { id })}
      heading={
        <>
          {i18n.t('{event} to {endpoint}', { event: delivery.event_type ?? i18n.t('Delivery'), endpoint })}{' '}
          <Status of={isDead ? 'dead_lettered' : status} />
        </>
      }
      about={<CopiedId id={id} />}
      actions={canReplay && <Replay id={id} endpoint={endpoint} />}
    >
      <div className="columns">
        <Section title={i18n.t('Attempts')} count={delivery.attempt_log.length}>
          <Table
            caption={i18n.t('Attempts')}
            columns={attemptColumns}
            rows={delivery.attempt_log}
            keyOf={({ number, started_at: at }) => `${at}-${number}`}
            empty={i18n.t('None yet.')}
          />
        </Section>
        <aside aria-label={i18n.t('About this delivery')}>
          <Facts
            of={[
              [i18n.t('Merchant'), delivery.merchant],
              [i18n.t('Endpoint'), endpoint],
              [i18n.t('Event'), <ObjectLink key="e" id={delivery.event} />],
              [i18n.t('About'), text && <ObjectLink key="o" id={aboutOf(text)} />],
              [i18n.t('Created'), <Time key="t" at={delivery.created} />],
              [
                i18n.t('Next attempt'),
                delivery.next_attempt_at && <Time key="t" at={delivery.next_attempt_at} />,
              ],
              [i18n.t('Finished'), delivery.finished_at && <Time key="t" at={delivery.finished_at} />],
              [
                delivery.attempts_before > 0 ? i18n.t('Attempts since the replay') : i18n.t('Attempts'),
                delivery.attempts,
              ],
              [i18n.t('Attempts before a replay'), delivery.attempts_before > 0 && delivery.attempts_before],
            ]}
          />
        </aside>
      </div>
      {text === null ? (
        <p className="empty">{i18n.t('The event is no longer kept.')}</p>
      ) : (
        <>
          <RequestAsSent
            merchant={delivery.merchant}
            endpoint={endpoint}
            event={delivery.event}
            body={text}
            at={delivery.attempt_log[0]?.started_at ?? null}
          />
          <RawBody text={text} />
        </>
      )}
    </Page>
  )
}

const Replay = ({ id, endpoint }: { id: string; endpoint: string }) => (
  <ChangeButton
    change="replayDelivery"
    id={id}
    action={i18n.t('Replay')}
    consequence={
      <p>
        <Trans
          id="The worker posts the same bytes to <0>{endpoint}</0> at once, with a new series of attempts. The endpoint may have received the event before, so it must handle it twice."
          values={{ endpoint }}
          components={{ 0: <b /> }}
        />
      </p>
    }
  />
)

type Attempt = StaffDeliveryDetail['attempt_log'][number]

const outcomeOf = ({ status_code: code, error }: Attempt) => {
  const isGood = code !== null && code >= 200 && code < 300
  return (
    <>
      <Status of={isGood ? 'succeeded' : 'failed'} /> {code ?? error}
    </>
  )
}

const attemptColumns: readonly Column<Attempt>[] = [
  { head: i18n.t('No.'), isFigure: true, cell: ({ number }) => number },
  { head: i18n.t('Started, {zone}', { zone: zoneName }), cell: ({ started_at: at }) => <Time at={at} /> },
  { head: i18n.t('Outcome'), cell: outcomeOf },
  { head: i18n.t('Took'), isFigure: true, cell: ({ duration_ms: ms }) => `${ms} ms` },
  {
    head: i18n.t('Answer'),
    cell: ({ response_excerpt: text }) => text && <code className="excerpt">{text}</code>,
  },
]
