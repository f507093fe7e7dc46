import type { Overview } from '@merchant-payments/contract'
import { useRead } from '../queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { Attention } from './overview/attention.tsx'
import { DayOfPayments, RailsOfTheDay } from './overview/day.tsx'

const REFRESH_MS = 10_000

export function OverviewScreen() {
  const overview = useRead('overview', {}, { everyMs: REFRESH_MS })
  return (
    <Page title="Overview">
      <Loaded of={overview}>{(data) => <Now overview={data} />}</Loaded>
    </Page>
  )
}

const Now = ({ overview }: { overview: Overview }) => (
  <>
    <p className="quiet">
      As of <Time at={overview.at} /> UTC; payments of the day since <Time at={overview.since} />.
    </p>
    <Attention overview={overview} />
    <DayOfPayments overview={overview} />
    <RailsOfTheDay overview={overview} />
  </>
)
