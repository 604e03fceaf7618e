create table decisions (
  execution text not null,
  call integer not null,
  question integer not null,
  -- The authentication code, and the decision with sealed values.
  content text not null,
  added_at real not null,
  -- Whether no journal will have the decision.
  is_applied integer not null,
  primary key (execution, call, question)
);
create index decisions_open on decisions (added_at) where not is_applied;
