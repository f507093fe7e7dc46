import type { PaymentForm, PaymentFormEvent } from '@merchant-payments/payer-client/ui'
import type { DetailedHTMLProps, HTMLAttributes } from 'react'

/**
 * The properties of the element `merchant-payment-form` in React 19.
 *
 * @example
 * ```tsx
 * import '@merchant-payments/payer-client/ui/react'
 *
 * const form = <merchant-payment-form base-url={baseUrl} client-secret={secret} onoutcome={show} />
 * ```
 */
export type PaymentFormProps = DetailedHTMLProps<HTMLAttributes<PaymentForm>, PaymentForm> & {
  /** The https URL of the service. */
  'base-url': string
  /** The secret of a checkout session. */
  'client-secret': string
  /** The page to which a redirect rail returns the payer. Default: the present one. */
  'return-url'?: string | undefined
  /** Called with the event `outcome`. */
  onoutcome?: ((event: PaymentFormEvent) => void) | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      /** The form of the hosted page. */
      'merchant-payment-form': PaymentFormProps
    }
  }
}
