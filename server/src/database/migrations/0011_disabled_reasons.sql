-- What the API's schema knows. Not checked for old rows, of which there are no others; nothing waits for a scan of the table.
alter table webhook_subscriptions add constraint webhook_subscriptions_disabled_reason
  check (disabled_reason in ('gone', 'failing', 'paused', 'moved')) not valid;
