/** How a deliberation is shown while it runs and when it has ended. */
export type Showing = {
  readonly json: boolean;
  readonly events: boolean;
  readonly quiet: boolean;
  readonly onDegraded: "accept" | "refuse";
};
