import { Link } from '@tanstack/react-router'
import { RailHealth } from './rail-health.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { i18n, language } from '../i18n.ts'

const yesOrNo = (is: boolean) => (is ? i18n.t('Yes') : i18n.t('No'))

export const RailsScreen = () => (
  <>
    <ListScreen
      title={i18n.t('Rails')}
      about={i18n.t(
        'The rails of the configuration. The deployment’s file has their addresses, the metrics show more of their health.',
      )}
      name="rails"
      empty={i18n.t('The configuration names no rail.')}
      fields={[]}
      columns={[
        {
          head: i18n.t('Code'),
          cell: ({ id }) => (
            <Link to="/rails/$id" params={{ id }}>
              {id}
            </Link>
          ),
        },
        { head: i18n.t('Name'), cell: ({ name }) => name[language] },
        {
          head: i18n.t('The payer'),
          cell: ({ flow }) => (flow === 'push' ? i18n.t('approves on the phone') : i18n.t('goes to a page')),
        },
        { head: i18n.t('Currency'), cell: ({ settlement_currency: currency }) => currency },
        { head: i18n.t('Refunds'), cell: ({ refunds }) => yesOrNo(refunds) },
        { head: i18n.t('Account holders'), cell: ({ account_holders: is }) => yesOrNo(is) },
      ]}
    />
    <RailHealth />
  </>
)
