export declare const NODE_MAJOR_MIN: number
export declare function refuseOldNode(app: 'api' | 'worker'): void
