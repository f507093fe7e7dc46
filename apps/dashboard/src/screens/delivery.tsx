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

/** Short, so that the result of a replay appears soon. */
const REFRESH_MS = 2_000

export function DeliveryScreen() {
  const { id } = useParams({ from: '/deliveries/$id' })
  const delivery = useRead('delivery', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title="Delivery" of={delivery}>
      {(detail) => <Delivery key={detail.id} delivery={detail} />}
    </LoadedPage>
  )
}

function Delivery({ delivery }: { delivery: StaffDeliveryDetail }) {
  const { id, status, dead_lettered: isDead, endpoint, event_body: body } = delivery
  const canReplay = status === 'exhausted' || isDead
  return (
    <Page
      title={`Delivery ${id}`}
      heading={
        <>
          {delivery.event_type ?? 'Delivery'} to {endpoint} <Status of={isDead ? 'dead_lettered' : status} />
        </>
      }
      about={<CopiedId id={id} />}
      actions={
        canReplay && (
          <ChangeButton
            change="replayDelivery"
            id={id}
            action="Replay"
            consequence={
              <p>
                The worker posts the same bytes to <b>{endpoint}</b> at once, with a new ladder of attempts.
                The endpoint may have received the event before, so it must handle it twice.
              </p>
            }
          />
        )
      }
    >
      <div className="columns">
        <Section title="Attempts" count={delivery.attempt_log.length}>
          <Table
            caption="Attempts"
            columns={attemptColumns}
            rows={delivery.attempt_log}
            keyOf={({ number, started_at: at }) => `${at}-${number}`}
            empty="None yet."
          />
        </Section>
        <aside aria-label="About this delivery">
          <Facts
            of={[
              ['Merchant', delivery.merchant],
              ['Endpoint', endpoint],
              ['Event', <ObjectLink key="e" id={delivery.event} />],
              ['About', body && <ObjectLink key="o" id={aboutOf(body)} />],
              ['Created', <Time key="t" at={delivery.created} />],
              ['Next attempt', delivery.next_attempt_at && <Time key="t" at={delivery.next_attempt_at} />],
              ['Finished', delivery.finished_at && <Time key="t" at={delivery.finished_at} />],
              ['Attempts of this ladder', delivery.attempts],
              ['Attempts before a replay', delivery.attempts_before > 0 && delivery.attempts_before],
            ]}
          />
        </aside>
      </div>
      <Section title="Body">
        {body === null ? (
          <p className="empty">The event is no longer kept.</p>
        ) : (
          <pre role="region" aria-label="The event’s body" tabIndex={0}>
            {JSON.stringify(body, null, 2)}
          </pre>
        )}
      </Section>
    </Page>
  )
}

type Attempt = StaffDeliveryDetail['attempt_log'][number]

function aboutOf({ data: { object } }: NonNullable<StaffDeliveryDetail['event_body']>): string | null {
  const { id } = object
  return typeof id === 'string' ? id : null
}

const outcomeOf = ({ status_code: code, error }: Attempt) => {
  const isGood = code !== null && code >= 200 && code < 300
  return (
    <>
      <Status of={isGood ? 'succeeded' : 'failed'} /> {code ?? error}
    </>
  )
}

const attemptColumns: readonly Column<Attempt>[] = [
  { head: 'No.', isFigure: true, cell: ({ number }) => number },
  { head: 'Started, UTC', cell: ({ started_at: at }) => <Time at={at} /> },
  { head: 'Outcome', cell: outcomeOf },
  { head: 'Took', isFigure: true, cell: ({ duration_ms: ms }) => `${ms} ms` },
  { head: 'Answer', cell: ({ response_excerpt: text }) => text && <code className="excerpt">{text}</code> },
]
