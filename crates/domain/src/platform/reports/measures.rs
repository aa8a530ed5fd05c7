//! What reports measure.

use crate::base::named::named;

named! {
    /// The names are stored.
    ReportMeasure {
        Volume => "volume",
        Reopened => "reopened",
        FirstAnswer => "first_answer",
        FirstAnswerWithAutomation => "first_answer_with_automation",
        NextAnswer => "next_answer",
        Answered => "answered",
        Resolution => "resolution",
        Resolved => "resolved",
        TargetsKept => "targets_kept",
        TargetsMissed => "targets_missed",
        Satisfaction => "satisfaction",
    }
}

/// What the values of a measure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureUnit {
    /// How often something happened.
    Count,
    /// Durations, of which reports show percentiles.
    Seconds,
    /// Points, of which reports show the mean.
    Score,
}

impl ReportMeasure {
    pub const fn unit(self) -> MeasureUnit {
        match self {
            Self::Volume
            | Self::Reopened
            | Self::Answered
            | Self::Resolved
            | Self::TargetsKept
            | Self::TargetsMissed => MeasureUnit::Count,
            Self::FirstAnswer | Self::FirstAnswerWithAutomation | Self::NextAnswer | Self::Resolution => {
                MeasureUnit::Seconds
            }
            Self::Satisfaction => MeasureUnit::Score,
        }
    }

    /// The definition, as the report shows it.
    pub const fn definition(self) -> &'static str {
        match self {
            Self::Volume => "Conversations that were opened. A reopened conversation counts again.",
            Self::Reopened => "Conversations that were opened again after they had been resolved.",
            Self::FirstAnswer => {
                "Time from the first message of the person, since the conversation was opened or reopened, to the \
                 first answer of an operator. Messages of automation do not count."
            }
            Self::FirstAnswerWithAutomation => {
                "Time from the first message of the person, since the conversation was opened or reopened, to the \
                 first answer of an operator or of automation."
            }
            Self::NextAnswer => {
                "Time from a later message of the person to the next answer of an operator. Of several messages \
                 without an answer in between, the first one counts."
            }
            Self::Answered => "Answers of operators to a person who was waiting for one.",
            Self::Resolution => "Time from opening or reopening a conversation to resolving it.",
            Self::Resolved => "Conversations that were resolved. One that was reopened can be resolved again.",
            Self::TargetsKept => "Targets that were met in time.",
            Self::TargetsMissed => "Targets that were not met in time.",
            Self::Satisfaction => "Scores that people gave after their conversation was resolved.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_a_unit_and_a_definition() {
        for (measure, unit) in [
            (ReportMeasure::Volume, MeasureUnit::Count),
            (ReportMeasure::NextAnswer, MeasureUnit::Seconds),
            (ReportMeasure::Satisfaction, MeasureUnit::Score),
        ] {
            assert_eq!(measure.unit(), unit);
        }
        for measure in ReportMeasure::ALL {
            assert!(measure.definition().ends_with('.') && !measure.definition().contains("  "), "{measure}");
        }
    }
}
