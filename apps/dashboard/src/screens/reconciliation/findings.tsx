import { i18n } from '../../i18n.ts'
import { useRead } from '../../queries.ts'
import { ChangeButton } from '../../ui/change-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ReportedMoney } from '../../ui/money.tsx'
import { Section } from '../../ui/section.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Answer, Item } from '../../wire/operations.ts'

const REFRESH_MS = 60_000

/** References that only their rail knows, after a restore. Nothing is shown while they load, and if there is none. */
export function Findings() {
  const findings = useRead('railFindings', {}, { everyMs: REFRESH_MS })
  const { data, error } = findings
  if (error === null && (data === undefined || data.data.length === 0)) return null
  return (
    <Section
      title={i18n.t('Only the rail knows them')}
      {...(data && { count: data.data.length, isCut: data.has_more })}
    >
      <Loaded of={findings}>{(list) => <FindingsTable of={list} />}</Loaded>
    </Section>
  )
}

const FoundMoney = ({ of: { amount, currency } }: { readonly of: Item<'railFindings'> }) =>
  amount === null ? <span className="quiet">–</span> : <ReportedMoney amount={amount} currency={currency} />

function FindingsTable({ of: { data, has_more: hasMore } }: { readonly of: Answer<'railFindings'> }) {
  return (
    <>
      <p className="quiet">
        {i18n.t(
          'References that a restore has lost. Decide about their money with the operator, then close each.',
        )}
      </p>
      <Table
        caption={i18n.t('Only the rail knows them')}
        rows={data}
        keyOf={({ id }) => id}
        empty={i18n.t('None.')}
        columns={[
          { head: i18n.t('Found'), cell: ({ created }) => <Time at={created} /> },
          { head: i18n.t('Rail'), cell: ({ rail }) => rail },
          { head: i18n.t('Kind'), cell: ({ kind }) => wordOf(kind) },
          { head: i18n.t('Reference'), cell: ({ reference }) => <code className="whole">{reference}</code> },
          { head: i18n.t('The rail said'), cell: ({ answer }) => wordOf(answer) },
          {
            head: i18n.t('Amount'),
            isFigure: true,
            cell: (finding) => <FoundMoney of={finding} />,
          },
          { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
          {
            head: '',
            cell: (finding) => (
              <ChangeButton
                change="closeFinding"
                id={finding.id}
                action={i18n.t('Close the finding')}
                seen={{ seen_revision: String(finding.revision) }}
                consequence={
                  <>
                    <Facts
                      of={[
                        [i18n.t('The rail said'), wordOf(finding.answer)],
                        [i18n.t('Amount'), <FoundMoney key="m" of={finding} />],
                      ]}
                    />
                    <p>
                      {i18n.t(
                        'Ends the finding and changes no payment. A different answer of the rail opens it again.',
                      )}
                    </p>
                  </>
                }
              />
            ),
          },
        ]}
      />
      {hasMore && (
        <p className="quiet">{i18n.t('Only the oldest ones are shown. Close them to see the others.')}</p>
      )}
    </>
  )
}
