// What every step of setting up is given.
export interface StepProps {
  /** It is finished: the next one opens. */
  onDone: () => void;
  /** Something was done, and there may be more to do here. */
  onChanged: () => void;
}
