// How it stands with the external broker, for the rest of the hub.

/** The account of all messages whose sender is not known; also the owner of devices that nobody else owns. */
export const BROKER_ACCOUNT = "mqtt";

/** `since`: monotonic ms. */
export type BrokerState =
  | { kind: "connecting" }
  | { kind: "connected" }
  | { kind: "away"; reason: string; since: number }
  /** It does not let the hub in, or lacks something that the hub needs: tried again now and then. */
  | { kind: "refused"; reason: string; since: number }
  /** Another program has the hub's client id: not tried again. */
  | { kind: "stopped"; reason: string; since: number };

/** A broker that is not the hub's own. */
export interface ExternalBroker {
  /** Without credentials. */
  readonly url: string;
  /** Certificates (PEM) that it is checked with; those of the system if undefined. Throws ConnectError. */
  ca(): string | undefined;
  readonly state: BrokerState;
  /** What a person has to mend; empty if nothing. */
  problems(): string[];
}
