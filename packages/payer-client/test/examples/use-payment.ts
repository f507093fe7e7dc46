import type {
  PayerClient,
  PaymentOrder,
  PaymentProgress,
  PaymentResult,
} from '@merchant-payments/payer-client'
import { useEffect, useRef, useState } from 'react'

/** `result` is undefined while a payment is under way, and null if none is. Make the client once, with useMemo. */
export function usePayment(client: PayerClient) {
  const [progress, setProgress] = useState<PaymentProgress>()
  const [result, setResult] = useState<PaymentResult | null>()
  const following = useRef<AbortController>(undefined)

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    following.current = controller
    // After a reload or a rail's page a payment may be under way already.
    void client.resume({ signal, onProgress: setProgress }).then((found) => {
      if (!signal.aborted) setResult(found)
    })
    // Ends the following, not the payment.
    return () => controller.abort()
  }, [client])

  /** Throws a PayerClientError for an invalid number. The payer can then pay with another. */
  async function pay(order: PaymentOrder): Promise<void> {
    const signal = following.current?.signal
    let paid: PaymentResult | null = null
    setResult(undefined)
    try {
      paid = await client.pay(order, { signal, onProgress: setProgress })
    } finally {
      if (signal?.aborted !== true) setResult(paid)
    }
  }

  return { progress, result, pay }
}
