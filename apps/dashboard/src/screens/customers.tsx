import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Time } from '../ui/time.tsx'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

export const CustomersScreen = () => (
  <ListScreen
    title={i18n.t('Customers')}
    name="customers"
    empty={i18n.t('No matching customers.')}
    fields={[
      { name: 'payer', label: i18n.t('Phone'), placeholder: '670 00 00 01', isNumber: true },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    columns={[
      { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
      { head: i18n.t('Customer'), cell: ({ id }) => <ObjectLink id={id} /> },
      {
        head: i18n.t('Name'),
        cell: ({ name, erased_at: erasedAt }) =>
          erasedAt === null ? (
            name && <span className="prose">{name}</span>
          ) : (
            <span className="quiet">{i18n.t('Erased')}</span>
          ),
      },
      { head: i18n.t('Phone'), cell: ({ phone }) => phone },
      { head: i18n.t('E-mail'), cell: ({ email }) => email && <span className="prose">{email}</span> },
      { head: i18n.t('Last used'), cell: ({ last_used_at: at }) => <Time at={at} /> },
      { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
    ]}
  />
)
