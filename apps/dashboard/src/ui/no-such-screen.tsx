import { Link } from '@tanstack/react-router'
import { Page } from './page.tsx'
import { i18n } from '../i18n.ts'

export const NoSuchScreen = () => (
  <Page title={i18n.t('There is no such page')}>
    <p>
      {i18n.t('The dashboard has no page at this address.')}{' '}
      <Link to="/">{i18n.t('Go to the overview')}</Link>
    </p>
  </Page>
)
