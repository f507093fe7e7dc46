import { Page } from './page.tsx'
import { i18n } from '../i18n.ts'

/** Shown if the page throws or its script cannot be loaded. */
export const ScreenFault = () => (
  <Page title={i18n.t('This page could not be shown')}>
    <p>{i18n.t('Its script could not be loaded or failed. Nothing was changed. Reload the page.')}</p>
    <button type="button" onClick={() => location.reload()}>
      {i18n.t('Reload')}
    </button>
  </Page>
)
