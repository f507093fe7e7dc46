import { signInAddress } from '../wire/client.ts'
import { usePageTitle } from './page.tsx'
import { i18n } from '../i18n.ts'

/**
 * Leads to the OpenID provider, which asks for the account if a session has just ended. It returns to the present URL with
 * its filters.
 */
export function SignIn({ wasSignedIn }: { wasSignedIn: boolean }) {
  usePageTitle(i18n.t('Sign in'))
  return (
    <main className="alone">
      <div className="sign-in">
        <p className="brand">{i18n.t('Merchant Payments')}</p>
        <h1>{wasSignedIn ? i18n.t('Your session is over') : i18n.t('Sign in')}</h1>
        <p>
          {wasSignedIn
            ? i18n.t('Sign in again to return to this page. Only changes that you had confirmed were made.')
            : i18n.t('For staff of this deployment.')}
        </p>
        <a className="button main" href={signInAddress(location.pathname + location.search, wasSignedIn)}>
          {i18n.t('Sign in')}
        </a>
      </div>
    </main>
  )
}
