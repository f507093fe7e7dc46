import { Trans } from '@lingui/react'
import type { Overview } from '@merchant-payments/contract'
import { useRead } from '../queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { Attention } from './overview/attention.tsx'
import { DayOfPayments, RailsOfTheDay } from './overview/day.tsx'
import { formatLocale, i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

const REFRESH_MS = 10_000

export function OverviewScreen() {
  const overview = useRead('overview', {}, { everyMs: REFRESH_MS })
  return (
    <Page title={i18n.t('Overview')}>
      <Loaded of={overview}>{(data) => <Now overview={data} />}</Loaded>
    </Page>
  )
}

const Now = ({ overview }: { overview: Overview }) => (
  <>
    <p className="quiet">
      <Trans
        id="Counted at <0/> {zone}. “The last day” begins at <1/>. It counts at most the newest {most} payments and charges."
        values={{ zone: zoneName, most: overview.counted_at_most.toLocaleString(formatLocale) }}
        components={{ 0: <Time at={overview.at} />, 1: <Time at={overview.since} /> }}
      />
    </p>
    <Attention overview={overview} />
    <DayOfPayments overview={overview} />
    <RailsOfTheDay overview={overview} />
  </>
)
