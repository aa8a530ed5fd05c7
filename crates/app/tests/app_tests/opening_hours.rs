//! Schedules of opening hours: their state at a time, their limits, and the import of holidays.

use app::automation::opening_hours::{HolidayImport, OpeningHoursView, ScheduleRequest};
use app::{Command, Error, Thing};
use domain::Id;
use domain::automation::opening_hours::{Holiday, MAX_OPENING_HOURS, Period, SkipReason, Week};
use domain::base::time::Moment;
use testkit::World;
use testkit::world::OnWorld;

const CALENDAR: &str = "BEGIN:VCALENDAR\n\
    BEGIN:VEVENT\nDTSTART;VALUE=DATE:20301225\nDTEND;VALUE=DATE:20301227\nSUMMARY:Christmas\nRRULE:FREQ=YEARLY\nEND:VEVENT\n\
    BEGIN:VEVENT\nDTSTART:20400102T100000Z\nSUMMARY:Meeting\nEND:VEVENT\n\
    END:VCALENDAR\n";

fn period(from: &str, to: &str) -> Period {
    Period { from: from.parse().unwrap(), to: to.parse().unwrap() }
}

fn office(name: &str) -> ScheduleRequest {
    let periods = Week { monday: vec![period("09:00", "12:00")], ..Week::default() };
    ScheduleRequest {
        name: Some(name.to_owned()),
        time_zone: Some("europe/berlin".to_owned()),
        periods: Some(periods),
        holidays: None,
    }
}

trait Hours: OnWorld {
    async fn open(self, name: &str) -> OpeningHoursView {
        self.app.automation().opening_hours().create(&self.me(), office(name)).await.unwrap()
    }

    async fn change(self, of: &OpeningHoursView, request: ScheduleRequest) -> app::Result<OpeningHoursView> {
        self.app.automation().opening_hours().update(&self.me(), of.hours.id, request).await
    }

    async fn names(self) -> Vec<String> {
        let all = self.app.automation().opening_hours().list(&self.me()).await.unwrap();
        all.into_iter().map(|view| view.hours.schedule.into_spec().name).collect()
    }

    /// The actions and details of the audit log, the newest first.
    async fn audited(self) -> Vec<(String, String)> {
        let log = self.app.identity().audit().latest(&self.me(), 10).await.unwrap();
        log.into_iter().map(|entry| (entry.action, entry.details)).collect()
    }
}

impl Hours for &World {}

testkit::both_databases! {
    async fn a_schedule_shows_whether_it_is_open(world = World::new) {
        // A Monday, 09:30 in Berlin.
        world.wait_until(Moment::parse("2040-01-02T08:30:00Z").unwrap().first());
        let made = world.open(" Support ").await;
        assert_eq!((made.is_open, made.next_change.unwrap().to_rfc3339().as_str()), (true, "2040-01-02T11:00:00.000Z"));
        let spec = made.hours.schedule.spec();
        assert_eq!((spec.name.as_str(), spec.time_zone.as_str()), ("Support", "Europe/Berlin"));
        world.advance(3 * 60 * 60);
        let found = world.app.automation().opening_hours().find(&world.me(), made.hours.id).await.unwrap();
        assert_eq!((found.is_open, found.next_change.unwrap().to_rfc3339().as_str()), (false, "2040-01-09T08:00:00.000Z"));
        let closed = world.change(&made, ScheduleRequest { periods: Some(Week::default()), ..ScheduleRequest::default() });
        let closed = closed.await.unwrap();
        assert_eq!((closed.is_open, closed.next_change), (false, None));
        assert_eq!(closed.hours.schedule.spec().name, "Support", "other members stay");
        assert!(closed.hours.updated_at > made.hours.updated_at && closed.hours.created_at == made.hours.created_at);
    }

    async fn changes_are_audited(world = World::new) {
        let made = world.open("Support").await;
        world.change(&made, ScheduleRequest { name: Some("Shop".to_owned()), ..ScheduleRequest::default() }).await.unwrap();
        let hours = world.app.automation();
        let hours = hours.opening_hours();
        hours.remove(&world.me(), made.hours.id).await.unwrap();
        assert!(matches!(hours.remove(&world.me(), made.hours.id).await, Err(Error::NotFound(Thing::OpeningHours))));
        let details = |name: &str| format!(r#"{{"name":"{name}","time_zone":"Europe/Berlin"}}"#);
        let expected = [
            ("opening_hours.delete".to_owned(), "{}".to_owned()),
            ("opening_hours.update".to_owned(), details("Shop")),
            ("opening_hours.create".to_owned(), details("Support")),
        ];
        assert_eq!(world.audited().await, expected);
    }

    async fn a_name_belongs_to_one_schedule(world = World::new) {
        let support = world.open("Support").await;
        let taken = |result: app::Result<OpeningHoursView>| matches!(result, Err(Error::Conflict { place, .. }) if place.to_string() == "name");
        assert!(taken(world.app.automation().opening_hours().create(&world.me(), office("SUPPORT")).await));
        let sales = world.open("Sales").await;
        assert!(taken(world.change(&sales, ScheduleRequest { name: Some("support".to_owned()), ..ScheduleRequest::default() }).await));
        world.change(&support, ScheduleRequest { name: Some("SUPPORT".to_owned()), ..ScheduleRequest::default() }).await.unwrap();
        assert_eq!(world.names().await, ["SUPPORT", "Sales"]);
        let other = Command(world.test.new_tenant("unlimited").await);
        let theirs = world.app.automation().opening_hours().find(&other, support.hours.id).await;
        assert!(matches!(theirs, Err(Error::NotFound(Thing::OpeningHours))));
        world.app.automation().opening_hours().create(&other, office("Support")).await.unwrap();
    }

    async fn what_is_no_schedule_is_refused_by_its_member(world = World::new) {
        let made = world.open("Support").await;
        for (request, expected) in [
            (ScheduleRequest { time_zone: Some("Berlin".to_owned()), ..ScheduleRequest::default() }, "time_zone"),
            (ScheduleRequest { name: Some(" ".to_owned()), ..ScheduleRequest::default() }, "name"),
            (
                ScheduleRequest {
                    periods: Some(Week { sunday: vec![period("10:00", "12:00"), period("11:59", "13:00")], ..Week::default() }),
                    ..ScheduleRequest::default()
                },
                "periods.sunday[1]",
            ),
        ] {
            let Err(Error::Invalid { place, .. }) = world.change(&made, request).await else { panic!("{expected}") };
            assert_eq!(place.to_string(), expected);
        }
        assert_eq!(world.audited().await.len(), 1);
    }

    async fn a_tenant_has_at_most_fifty(world = World::new) {
        for number in 0..MAX_OPENING_HOURS {
            world.open(&format!("Schedule {number}")).await;
        }
        let more = world.app.automation().opening_hours().create(&world.me(), office("Another")).await;
        assert!(matches!(more, Err(Error::LimitReached { limit: "opening_hours", used: 50, max: 50 })), "{more:?}");
    }

    async fn holidays_of_a_calendar_are_added_once(world = World::new) {
        let made = world.open("Support").await;
        let eve = Holiday { date: "2040-12-25".parse().unwrap(), name: "Open".to_owned(), periods: vec![period("09:00", "10:00")] };
        world.change(&made, ScheduleRequest { holidays: Some(vec![eve.clone()]), ..ScheduleRequest::default() }).await.unwrap();
        let import = |dry_run| HolidayImport { calendar: CALENDAR.to_owned(), years: vec![2039, 2040], dry_run };
        let hours = world.app.automation();
        let hours = hours.opening_hours();
        let dates = |holidays: &[Holiday]| holidays.iter().map(|one| one.date.to_string()).collect::<Vec<_>>();
        let preview = hours.import_holidays(&world.me(), made.hours.id, import(true)).await.unwrap();
        assert_eq!(dates(&preview.added), ["2039-12-25", "2039-12-26", "2040-12-26"]);
        assert_eq!(preview.view.hours.schedule.spec().holidays.len(), 4);
        let stored = hours.find(&world.me(), made.hours.id).await.unwrap();
        assert_eq!(stored.hours.schedule.spec().holidays, std::slice::from_ref(&eve));

        let imported = hours.import_holidays(&world.me(), made.hours.id, import(false)).await.unwrap();
        assert_eq!(imported.added, preview.added);
        let [meeting] = &imported.skipped[..] else { panic!("{:?}", imported.skipped) };
        assert_eq!((meeting.line, meeting.summary.as_str(), &meeting.reason), (8, "Meeting", &SkipReason::TimeOfDay));
        let stored = hours.find(&world.me(), made.hours.id).await.unwrap();
        let holidays = &stored.hours.schedule.spec().holidays;
        assert_eq!(dates(holidays), ["2039-12-25", "2039-12-26", "2040-12-25", "2040-12-26"]);
        assert_eq!(holidays[2], eve, "a day keeps its holiday");

        let again = hours.import_holidays(&world.me(), made.hours.id, import(false)).await.unwrap();
        assert_eq!((again.added.len(), &again.skipped[0].reason), (0, &SkipReason::AlreadyHolidays));
        let log = world.audited().await;
        assert_eq!(log[0], ("opening_hours.import".to_owned(), r#"{"added":3,"name":"Support"}"#.to_owned()));
        assert_eq!(log.len(), 3);

        let bad = HolidayImport { calendar: "hello".to_owned(), ..import(false) };
        let Err(Error::Invalid { place, .. }) = hours.import_holidays(&world.me(), made.hours.id, bad).await else { panic!() };
        assert_eq!(place.to_string(), "calendar");
        let missing = hours.import_holidays(&world.me(), Id::from_bytes([1; 12]), import(true)).await;
        assert!(matches!(missing, Err(Error::NotFound(Thing::OpeningHours))));
    }
}
