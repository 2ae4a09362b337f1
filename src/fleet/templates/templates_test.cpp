#include "fleet/templates/templates.hpp"

#include <gmock/gmock.h>
#include <ostream>

#include "base/text.hpp"
#include "fleet/templates/evaluator.hpp"
#include "json/testing/objects.hpp"
#include "json/yaml.hpp"

namespace fairway::fleet::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const json::Value& sample() {
  static const json::Value kSample = *json::parse_yaml(R"(
ManagedClusterName: member1
ManagedClusterLabels: {region: eu, tier: "1"}
Number: 7
Real: 1.5
Flag: true
List: [b, a, c]
Empty: []
Deep: {a: {b: {c: found}}}
Maps: [{name: one, num: 1}, {name: two, num: 2}]
)");
  return kSample;
}

Settings settings(Side side = Side::Cluster) {
  return {
      .side = side, .context = sample().get_object(), .now = WallTime{std::chrono::seconds{1'709'208'000}}};
}

std::string rendered(std::string_view text, const Settings& given = settings()) {
  const auto found = resolve_text(text, given);
  if (!found) return "error: " + found.error().describe();
  return std::string(json::view(found->value.get_string()));
}

struct Case {
  const char* text;
  const char* wanted;
};
std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.text;
}

class Rendering : public ::testing::TestWithParam<Case> {};
TEST_P(Rendering, AsGo) {
  EXPECT_EQ(rendered(GetParam().text), GetParam().wanted);
}

const Case kSyntax[] = {
    {"plain", "plain"},
    {"", ""},
    {"a {{ .ManagedClusterName }} b", "a member1 b"},
    {"a {{- .ManagedClusterName -}} b", "amember1b"},
    {"a\n  {{- /* said */ -}}\n b", "ab"},
    {"{{/* a comment with }} in it */}}x", "x"},
    {"{{ .Deep.a.b.c }}", "found"},
    {"{{ (index .Maps 1).name }}", "two"},
    {"{{ .Deep.x.y }}|{{ .Nothing }}", "|"},
    {"{{ \"a\\tb\\u00e9\\x41\" }}{{ `raw\\n` }}{{ 'a' }}",
     "a\tb\xc3\xa9"
     "Araw\\n97"},
    {"{{ -3 }} {{ 1.5 }} {{ 1e3 }} {{ true }}", "-3 1.5 1000 true"},
    {"{{ $x := 3 }}{{ $x }}{{ $x = 4 }}{{ $x }}", "34"},
    {"{{ $.ManagedClusterName }}", "member1"},
    {"{{ if .Flag }}a{{ else }}b{{ end }}", "a"},
    {"{{ if .Empty }}a{{ else if eq .Number 7 }}b{{ else }}c{{ end }}", "b"},
    {"{{ if not .Flag }}a{{ end }}.", "."},
    {"{{ with .Deep.a }}{{ .b.c }}{{ end }}", "found"},
    {"{{ with .Nothing }}a{{ else }}{{ .Number }}{{ end }}", "7"},
    {"{{ range .List }}{{ . }},{{ end }}", "b,a,c,"},
    {"{{ range $i, $x := .List }}{{ $i }}{{ $x }} {{ end }}", "0b 1a 2c "},
    {"{{ range $k, $v := .ManagedClusterLabels }}{{ $k }}={{ $v }} {{ end }}", "region=eu tier=1 "},
    {"{{ range .Empty }}a{{ else }}none{{ end }}", "none"},
    {"{{ range $i := until 9 }}{{ if eq $i 2 }}{{ continue }}{{ end }}{{ if eq $i 4 }}{{ break }}{{ end }}{{ "
     "$i }}{{ end }}",
     "013"},
    {"{{ range 3 }}{{ . }}{{ end }}", "012"},
    {"{{ $s := \"\" }}{{ range .List }}{{ $s = print $s . }}{{ end }}{{ $s }}", "bac"},
    {"{{ .List | join \"-\" | upper | printf \"%s!\" }}", "B-A-C!"},
    {"{{ and .Flag 0 (fail \"never\") }}{{ or \"\" \"x\" (fail \"never\") }}", "0x"},
    {"{{ printf \"%d|%5d|%-4s|%05.1f|%q|%v|%t|%%\" 7 8 \"a\" 2.25 \"q\" .List true }}",
     "7|    8|a   |002.2|\"q\"|[b a c]|true|%"},
    {"{{ .Deep }}", "map[a:map[b:map[c:found]]]"},
    {"{{hub .Unknown hub}}{{ .Number }}", "{{hub .Unknown hub}}7"},
};
INSTANTIATE_TEST_SUITE_P(Syntax, Rendering, ::testing::ValuesIn(kSyntax));

const Case kFunctions[] = {
    {"{{ eq 1 1 }}{{ eq \"a\" \"b\" \"a\" }}{{ ne 1 2 }}{{ lt 1 2 }}{{ le 2 2 }}{{ gt 1 2 }}{{ ge \"b\" "
     "\"a\" }}",
     "truetruetruetruetruefalsetrue"},
    {"{{ eq .Nothing \"\" }}{{ eq 1 1.0 }}", "truetrue"},
    {"{{ index .ManagedClusterLabels \"region\" }}{{ index .ManagedClusterLabels \"none\" }}.", "eu."},
    {"{{ len .List }}{{ len \"four\" }}{{ len .Deep }}", "341"},
    {"{{ slice \"abcdef\" 1 3 }}{{ slice .List 1 }}", "bc[a c]"},
    {"{{ .Nothing | default \"d\" }}{{ \"x\" | default \"d\" }}{{ default 5 0 }}", "dx5"},
    {"{{ ternary \"a\" \"b\" true }}{{ coalesce \"\" 0 \"z\" }}{{ empty \"\" }}", "aztrue"},
    {"{{ \"a\\\"b\" | quote }}{{ \"x\" | squote }}", "\"a\\\"b\"'x'"},
    {"{{ upper \"a\" }}{{ lower \"B\" }}{{ title \"hello world\" }}{{ trim \" x \" }}", "AbHello Worldx"},
    {"{{ trimPrefix \"a\" \"abc\" }}{{ trimSuffix \"c\" \"abc\" }}{{ trimAll \"$\" \"$5$\" }}", "bcab5"},
    {"{{ contains \"b\" \"abc\" }}{{ hasPrefix \"a\" \"abc\" }}{{ hasSuffix \"a\" \"abc\" }}",
     "truetruefalse"},
    {"{{ replace \"a\" \"o\" \"banana\" }}{{ repeat 3 \"ab\" }}{{ substr 1 3 \"abcd\" }}{{ trunc -2 \"abcd\" "
     "}}",
     "bononoabababbccd"},
    {"{{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 }} {{ div 7 2 }} {{ mod 7 2 }} {{ max 1 3 2 }} {{ min 3 1 }} "
     "{{ add1 1 }}",
     "6 3 6 3 1 3 1 2"},
    {"{{ floor 1.7 }} {{ ceil 1.2 }} {{ atoi \"12\" }} {{ int \"x\" }} {{ toInt \"5\" }} {{ toBool \"true\" "
     "}}",
     "1 2 12 0 5 true"},
    {"{{ untilStep 1 6 2 }}{{ list 1 2 | first }}{{ last (list 1 2) }}{{ rest .List }}{{ initial .List }}",
     "[1 3 5]12[a c][b a]"},
    {"{{ sortAlpha .List }}{{ reverse .List }}{{ uniq (list 1 1 2) }}{{ has \"a\" .List }}{{ without .List "
     "\"a\" }}",
     "[a b c][c a b][1 2]true[b c]"},
    {"{{ append .List \"d\" }}{{ prepend .List \"z\" }}{{ concat .List (list 1) }}{{ compact (list \"\" 1) "
     "}}",
     "[b a c d][z b a c][b a c 1][1]"},
    {"{{ splitList \",\" \"a,b\" }}{{ (split \"-\" \"a-b\")._1 }}", "[a b]b"},
    {"{{ $d := dict \"a\" 1 \"b\" 2 }}{{ keys $d }}{{ values $d }}{{ get $d \"a\" }}{{ hasKey $d \"z\" }}{{ "
     "dig \"a\" \"b\" \"c\" \"no\" .Deep }}",
     "[a b][1 2]1falsefound"},
    {"{{ pick (dict \"a\" 1 \"b\" 2) \"a\" }}{{ omit (dict \"a\" 1 \"b\" 2) \"a\" }}{{ merge (dict \"a\" 1) "
     "(dict \"a\" 2 \"c\" 3) }}",
     "map[a:1]map[b:2]map[a:1 c:3]"},
    {"{{ \"x\" | base64enc }}{{ \"eA==\" | base64dec }}{{ b64enc \"y\" }}", "eA==xeQ=="},
    {"{{ toJson .Maps }}{{ (fromJson \"{\\\"a\\\":1}\").a }}{{ (fromYaml \"a: 2\").a }}",
     "[{\"name\":\"one\",\"num\":1},{\"name\":\"two\",\"num\":2}]12"},
    {"{{ toYaml .Deep }}", "a:\n  b:\n    c: found"},
    {"a:\n  {{ \"x: 1\\nz: 2\" | autoindent }}\n{{ indent 2 \"p\\nq\" }}", "a:\n  x: 1\n  z: 2\n  p\n  q"},
    {"{{ toString 5 }}{{ kindOf .List }}{{ kindIs \"map\" .Deep }}{{ cat \"a\" 1 }}", "5slicetruea 1"},
    {"{{ snakecase \"FirstName\" }} {{ kebabcase \"first name\" }}", "first_name first-name"},
};
INSTANTIATE_TEST_SUITE_P(Functions, Rendering, ::testing::ValuesIn(kFunctions));

const Case kRegex[] = {
    {"{{ regexMatch `^v[0-9]+$` \"v12\" }}{{ mustRegexMatch \"b\" \"abc\" }}{{ regexMatch \"^b\" \"abc\" }}",
     "truetruefalse"},
    {"{{ \"ocp-4.16.3\" | regexFind `\\d+\\.\\d+` }}|{{ mustRegexFind \"x\" \"abc\" }}|", "4.16||"},
    {"{{ regexFindAll \"[2,4,6,8]\" \"123456789\" -1 }}{{ mustRegexFindAll \"[0-9]\" \"123\" 2 }}{{ "
     "regexFindAll "
     "\"a\" \"a\" 0 }}",
     "[2 4 6 8][1 2][]"},
    {"{{ regexFindAll \"a*\" \"baac\" -1 | len }}{{ regexFindAll `\\b` \"é x\" -1 | len }}", "32"},
    {"{{ regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"${1}W\" }} {{ regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" "
     "\"$1W\" }}",
     "-W-xxW- ---"},
    {"{{ mustRegexReplaceAll `(?P<first>\\w+) (\\w+)` \"one two\" `$2-$first-$$1-$9-${first-$` }}",
     "two-one-$1--${first-$"},
    {"{{ regexReplaceAll \"\" \"éa\" \"-\" }}{{ regexReplaceAll \"(?i)B|^\" \"abc\" \"_\" }}", "-é-a-_a_c"},
    {"{{ regexReplaceAllLiteral \"a(x*)b\" \"-ab-axxb-\" \"${1}\" }}{{ mustRegexReplaceAllLiteral \"a\" "
     "\"aa\" "
     "\"$$\" }}",
     "-${1}-${1}-$$$$"},
    {"{{ regexSplit \"z+\" \"pizza\" -1 }}{{ mustRegexSplit \",\" \"a,b,c\" 2 }}{{ regexSplit \",\" \"\" -1 "
     "| toJson "
     "}}{{ regexSplit \"\" \"abc\" -1 }}{{ regexSplit \",\" \"a,b,\" -1 | toJson }}{{ regexSplit \",\" \"a\" "
     "0 }}",
     "[pi a][a b,c][\"\"][a b c][\"a\",\"b\",\"\"][]"},
    {"{{ regexQuoteMeta \"1.2+3-[x]\" }}", "1\\.2\\+3-\\[x\\]"},
    {"{{ regexMatch \"a(\" \"a\" }}",
     "error: line 1, column 4: regexMatch: \"a(\" is no regular expression: missing ): a("},
    {"{{ regexFindAll \"a\" \"a\" \"x\" }}",
     "error: line 1, column 4: regexFindAll: argument 3 must be a whole number, found a string"},
    {"{{ regexMatch (repeat 5000 \"a\") \"a\" }}",
     "error: line 1, column 4: regexMatch: the regular expression has 5000 bytes; at most 4096 are read"},
};
INSTANTIATE_TEST_SUITE_P(Regex, Rendering, ::testing::ValuesIn(kRegex));

constexpr const char* kNoon = "2024-02-29 12:00:00 +0000 UTC";

// The sample's time is noon of a leap day.
const Case kDates[] = {
    {"{{ now }}", kNoon},
    {"{{ now | date \"Mon Monday Jan January 1 01 2 02 _2 002 06 2006 15 3 03 PM pm 4 04 5 05 MST -0700 "
     "Z07:00\" }}",
     "Thu Thursday Feb February 2 02 29 29 29 060 24 2024 12 12 12 PM pm 0 00 0 00 UTC +0000 Z"},
    {"{{ date \"2006-01-02T15:04:05.000,999 Janet Monk _2006\" 1.5 }}",
     "error: line 1, column 4: date: argument 2 must be a time (of now or toDate, as in RFC 3339, or in "
     "seconds since "
     "1970), found a float64"},
    {"{{ date \"15:04:05.000|.999|Janet|Monk|_2006\" \"2024-03-04T05:06:07.5Z\" }}",
     "05:06:07.500|.5|Janet|Monk|_2024"},
    {"{{ date \"2006-01-02\" 0 }}{{ htmlDate 86400 }}", "1970-01-011970-01-02"},
    {"{{ dateInZone \"2006-01-02 15:04 -07:00 MST\" now \"+05:30\" }} {{ dateInZone \"15 Z0700\" now "
     "\"-0800\" }} {{ "
     "date_in_zone \"15 MST\" now \"UTC\" }}",
     "2024-02-29 17:30 +05:30 +0530 04 -0800 12 UTC"},
    {"{{ dateInZone \"15\" now \"Europe/Berlin\" }}",
     "error: line 1, column 4: dateInZone: the zone \"Europe/Berlin\" is not known; what is, is UTC and "
     "fixed offsets such "
     "as +02:00"},
    {"{{ now | dateModify \"-1.5h\" }}|{{ mustDateModify \"24h\" now | htmlDate }}",
     "2024-02-29 10:30:00 +0000 UTC|2024-03-01"},
    {"{{ dateModify \"soon\" now }}",
     "error: line 1, column 4: dateModify: \"soon\" is no duration; expected one like -1.5h"},
    {"{{ toDate \"2006-01-02\" \"2017-12-31\" }}|{{ mustToDate \"Jan _2 15:04:05 2006 -0700\" \"Feb  3 "
     "04:05:06.25 2020 "
     "+0200\" }}",
     "2017-12-31 00:00:00 +0000 UTC|2020-02-03 04:05:06.25 +0200 +0200"},
    {"{{ toDate \"02.01.06 3:04PM\" \"31.12.69 12:05AM\" | date \"2006-01-02 15:04\" }}", "1969-12-31 00:05"},
    {"{{ toDate \"2006-01-02\" \"2023-02-29\" }}",
     "error: line 1, column 4: toDate: \"2023-02-29\" is no time of the layout \"2006-01-02\"; expected one "
     "like "
     "\"2006-01-02\", in UTC or with an offset"},
    {"{{ toDate \"2006\" \"1500\" }}",
     "error: line 1, column 4: toDate: the year 1500 is not between 1678 and 2261"},
    {"{{ date \"2006\" \"tomorrow\" }}",
     "error: line 1, column 4: date: argument 2 must be a time (of now or toDate, as in RFC 3339, or in "
     "seconds since "
     "1970), found \"tomorrow\""},
    {"{{ now | unixEpoch }} {{ unixEpoch \"1969-12-31T23:59:59.5Z\" }}", "1709208000 -1"},
    {"{{ duration 95 }} {{ duration \"3600\" }} {{ duration 0 }}", "1m35s 1h0m0s 0s"},
    {"{{ durationRound \"2h10m5s\" }} {{ durationRound \"-8784h\" }} {{ durationRound 1500000000 }} {{ "
     "durationRound "
     "\"2024-02-27T11:00:00Z\" }} {{ durationRound \"1s\" }}",
     "2h 1y 1s 2d 0s"},
    {"{{ ago \"2024-02-29T10:58:59.5Z\" }} {{ ago \"2024-02-29T12:00:10Z\" }}", "1h1m1s -10s"},
    {"{{ dateModify \"-800h\" \"1678-01-10T00:00:00Z\" }}",
     "error: line 1, column 4: dateModify: the time is not between the years 1678 and 2261"},
    {"{{ ago \"1700-01-01T00:00:00Z\" | len }}{{ date \"2006\" 9999999999 }}",
     "error: line 1, column 4: ago: the time is not between the years 1678 and 2261"},
    {"{{ date \"2006\" 9999999999 }}",
     "error: line 1, column 4: date: argument 2 must be a time (of now or toDate, as in RFC 3339, or in "
     "seconds since "
     "1970), found a int"},
    {"{{ if lt (now | unixEpoch | int) 1709208001 }}early{{ end }}", "early"},
    {"{{ duration 9999999999999 }}", "error: line 1, column 4: duration: the duration is too long"},
    {"{{ dateModify \"2562047h\" \"2261-01-01T00:00:00Z\" }}",
     "error: line 1, column 4: dateModify: the time is not between the years 1678 and 2261"},
};
INSTANTIATE_TEST_SUITE_P(Dates, Rendering, ::testing::ValuesIn(kDates));

TEST(Templates, TheTimeIsGiven) {
  Settings given = settings(Side::Hub);
  EXPECT_EQ(rendered("{{hub toDate \"2006\" \"2020\" | htmlDate hub}}", given), "2020-01-01");
  given.now.reset();
  EXPECT_THAT(rendered("{{hub now hub}}", given), HasSubstr("a template of the hub has no time"));
  EXPECT_THAT(rendered("{{hub ago 0 hub}}", given), HasSubstr("a template of the hub has no time"));
  given.side = Side::Cluster;
  EXPECT_THAT(rendered("{{ now }}", given), HasSubstr("the time is not known here"));
}

const Case kErrors[] = {
    {"{{ .a", "error: line 1, column 1: the action has no end; expected \"}}\""},
    {"a\n {{ if .a }}b", "error: line 2, column 4: \"if\" has no end"},
    {"{{ end }}", "error: line 1, column 3: there is nothing to end or to continue with else here"},
    {"{{ nonsense 1 }}", "error: line 1, column 4: there is no function \"nonsense\""},
    {"{{ uper \"a\" }}", "error: line 1, column 4: there is no function \"uper\", did you mean \"upper\"?"},
    {"{{ upper }}", "error: line 1, column 4: upper takes 1 arguments, found 0"},
    {"{{ .Number.x }}", "error: line 1, column 4: a int has no field \"x\""},
    {"{{ index .List 9 }}", "error: line 1, column 4: index: there is no item 9 in a list of 3"},
    {"{{ $x }}", "error: line 1, column 4: the variable $x is not declared"},
    {"{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}",
     "error: line 1, column 39: the variable $x is not declared"},
    {"{{ div 1 0 }}", "error: line 1, column 4: div: nothing can be divided by zero"},
    {"{{ lt 1 \"a\" }}", "error: line 1, column 4: lt: a int cannot be compared with a string"},
    {"{{ define \"x\" }}{{ end }}", "error: line 1, column 3: \"define\" is not supported in policies"},
    {"{{ break }}", "error: line 1, column 3: break is only possible within a range"},
    {"{{ (1 }}", "error: line 1, column 7: a ) is expected here"},
    {"{{ 1 | 2 }}", "error: line 1, column 8: a value cannot take the result of a pipeline"},
    {"{{ \"a }}", "error: line 1, column 1: the action has no end; expected \"}}\""},
    {"{{ }}", "error: line 1, column 3: an action needs something to do"},
    {"{{ fail \"no\" }}", "error: line 1, column 4: fail: no"},
    {"{{ skipObject | lookup }}", "error: line 1, column 17: lookup takes at least 4 arguments, found 1"},
};
INSTANTIATE_TEST_SUITE_P(Errors, Rendering, ::testing::ValuesIn(kErrors));

TEST(Templates, HubDelimiters) {
  EXPECT_EQ(rendered("{{hub .ManagedClusterName hub}}-{{ .Left }}", settings(Side::Hub)),
            "member1-{{ .Left }}");
  EXPECT_EQ(rendered("a {{hub- .Number -hub}} b", settings(Side::Hub)), "a7b");
  EXPECT_TRUE(is_template("{{hub x hub}}", Side::Hub));
  EXPECT_FALSE(is_template("{{hub x hub}}", Side::Cluster));
  EXPECT_FALSE(is_template("{{ x }}", Side::Hub));
  EXPECT_TRUE(is_template("{{hub x hub}}{{ x }}", Side::Cluster));
}

TEST(Templates, FunctionsOfOneSideOnly) {
  EXPECT_THAT(rendered("{{hub fromClusterClaim \"a\" hub}}", settings(Side::Hub)),
              HasSubstr("there is no function"));
  EXPECT_EQ(find_function("skipObject", Side::Hub), nullptr);
  EXPECT_NE(find_function("skipObject", Side::Cluster), nullptr);
}

std::string resolved(std::string_view text, const Settings& given = settings()) {
  const auto found = resolve(json::test_value(text), given);
  return found ? json::serialize(found->value) : "error: " + found.error().describe();
}

// Its bytes are the text backwards, with a mark.
Result<std::string> backwards(std::string_view text) {
  return "<" + std::string(text.rbegin(), text.rend());
}
Result<std::string> forwards(std::string_view bytes) {
  if (!bytes.starts_with('<')) return fail(ErrorCode::Invalid, "wrong key");
  return std::string(bytes.rbegin(), bytes.rend() - 1);
}

TEST(Templates, ProtectEncryptsOnTheHub) {
  Settings given = settings(Side::Hub);
  auto asked = resolve_text("{{hub .ManagedClusterName | protect hub}}", given);
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->misses_key) << "the key is asked for, as lookups are";
  EXPECT_FALSE(asked->has_encrypted);
  given.encrypt = backwards;
  asked = resolve_text("a {{hub .ManagedClusterName | protect hub}}", given);
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->misses_key);
  EXPECT_TRUE(asked->has_encrypted);
  EXPECT_EQ(json::view(asked->value.get_string()), "a $ocm_encrypted:" + encode_base64("<1rebmem"));
  EXPECT_EQ(rendered("{{hub protect \"\" hub}}", given), "") << "there is nothing to hide";
  given.encrypt = [](std::string_view) -> Result<std::string> {
    return fail(ErrorCode::Forbidden, "no key");
  };
  EXPECT_EQ(rendered("{{hub protect \"x\" hub}}", given), "error: line 1, column 7: protect: no key");
  EXPECT_EQ(rendered("{{ protect \"x\" }}"),
            "error: line 1, column 4: protect: this belongs into a template of the hub, {{hub … | protect "
            "hub}}; what is "
            "here was already sent");
}

TEST(Templates, DecryptedInTheCluster) {
  const std::string hidden = "$ocm_encrypted:" + encode_base64("<olleh");
  Settings given = settings();
  EXPECT_EQ(rendered(hidden, given), hidden) << "without a cipher it stays";
  EXPECT_FALSE(resolve_text(hidden, given)->has_decrypted);
  given.decrypt = forwards;
  EXPECT_TRUE(resolve_text(hidden, given)->has_decrypted);
  EXPECT_FALSE(resolve_text("plain", given)->has_decrypted);
  EXPECT_EQ(rendered(hidden + " " + hidden, given), "hello hello");
  EXPECT_EQ(rendered("{{ \"" + hidden + "\" | upper | base64enc }}{{ `" + hidden + "` }}" + hidden, given),
            encode_base64("HELLO") + "hellohello");
  EXPECT_EQ(resolved("{'" + hidden + "': ['" + hidden + "']}", given), R"({"hello":["hello"]})");
  EXPECT_EQ(rendered("$ocm_encrypted:" + encode_base64("<}} x {{"), given), "{{ x }}")
      << "what comes of it is no template";
  EXPECT_EQ(resolved("{a: {b: '$ocm_encrypted:YWJj'}}", given), "error: a.b: wrong key");
  EXPECT_THAT(resolved("{a: '$ocm_encrypted:?'}", given),
              HasSubstr("a: what follows $ocm_encrypted: is no base64"));
  EXPECT_EQ(rendered("{{ if true }}$ocm_encrypted:YWJj{{ end }}", given),
            "error: line 1, column 14: wrong key");
  const std::string failing = rendered("{{ fail \"" + hidden + "\" }}", given);
  EXPECT_THAT(failing, HasSubstr("fail: it failed; why is not told"));
  EXPECT_THAT(failing, ::testing::Not(HasSubstr("hello")));
}

TEST(Templates, ValuesKeepTheirTypes) {
  EXPECT_EQ(resolved("{a: '{{ .Number }}', b: '{{ .Number | toInt }}', c: '{{ \"true\" | toBool }}'}"),
            R"({"a":"7","b":7,"c":true})");
  EXPECT_EQ(resolved("{a: '{{ .Deep | toLiteral }}', b: '{{ \"[1,2]\" | toLiteral }}', c: '{{ \"word\" | "
                     "toLiteral }}'}"),
            R"({"a":{"a":{"b":{"c":"found"}}},"b":[1,2],"c":"word"})");
  EXPECT_EQ(resolved("{a: 'x{{ 3 | toInt }}'}"), R"({"a":"x3"})") << "more than one action is a text";
  EXPECT_EQ(resolved("{'{{ .ManagedClusterName }}': [1, true, null, '{{ .Flag }}']}"),
            R"({"member1":[1,true,null,"true"]})");
}

// What is looked up cannot change the structure around it.
TEST(Templates, TextsStayTexts) {
  Answers answers;
  answers[{.api_version = "v1", .kind = "ConfigMap", .namespace_ = "n", .name = "c"}] =
      json::test_value("{data: {k: \"x\\nevil: true\"}}");
  Settings given = settings();
  given.answers = &answers;
  EXPECT_EQ(resolved("{a: '{{ fromConfigMap \"n\" \"c\" \"k\" }}'}", given), R"({"a":"x\nevil: true"})");
}

TEST(Templates, ErrorsNameThePlace) {
  EXPECT_EQ(resolved("{spec: {list: [a, '{{ nope }}']}}"),
            "error: spec.list[1]: line 1, column 4: there is no function \"nope\"");
}

TEST(Templates, LookupsAreAskedFor) {
  const json::Value tree = json::test_value(
      "{a: '{{ fromConfigMap \"n\" \"first\" \"k\" }}', b: '{{ (lookup \"v1\" \"Secret\" \"n\" "
      "(fromConfigMap \"n\" "
      "\"first\" \"k\")).data.x }}'}");
  Answers answers;
  Settings given = settings();
  given.answers = &answers;
  auto found = resolve(tree, given);
  ASSERT_TRUE(found);
  const Lookup first{.api_version = "v1", .kind = "ConfigMap", .namespace_ = "n", .name = "first"};
  EXPECT_THAT(found->missing, ElementsAre(first));
  answers[first] = json::test_value("{data: {k: second}}");
  found = resolve(tree, given);
  const Lookup second{.api_version = "v1", .kind = "Secret", .namespace_ = "n", .name = "second"};
  EXPECT_THAT(found->missing, ElementsAre(second));
  answers[second] = json::Value(nullptr);
  found = resolve(tree, given);
  EXPECT_TRUE(found->missing.empty());
  EXPECT_THAT(found->asked, ElementsAre(first, second));
  EXPECT_EQ(json::serialize(found->value), R"({"a":"second","b":""})");
}

TEST(Templates, WhatIsLookedUp) {
  Answers answers;
  answers[{.api_version = "v1", .kind = "Node"}] = json::test_value(
      "{items: [{metadata: {name: a, labels: {node-role.kubernetes.io/worker: ''}}}, {metadata: {name: b, "
      "labels: "
      "{node-role.kubernetes.io/worker: '', node-role.kubernetes.io/infra: ''}}}]}");
  answers[{
      .api_version = "cluster.open-cluster-management.io/v1alpha1", .kind = "ClusterClaim", .name = "id"}] =
      json::test_value("{spec: {value: '42'}}");
  answers[{
      .api_version = "cluster.open-cluster-management.io/v1alpha1", .kind = "ClusterClaim", .name = "none"}] =
      json::Value(nullptr);
  answers[{.api_version = "v1", .kind = "Pod", .namespace_ = "n", .name = "", .selector = "app=web,tier"}] =
      json::test_value("{items: [{metadata: {name: p}}]}");
  answers[{.api_version = "v1", .kind = "Secret", .namespace_ = "n", .name = "s"}] =
      json::test_value("{data: {k: dg==}}");
  answers[{.api_version = "v1", .kind = "ConfigMap", .namespace_ = "n", .name = "gone"}] =
      json::Value(nullptr);
  Settings given = settings();
  given.answers = &answers;
  EXPECT_EQ(
      rendered("{{ range (getNodesWithExactRoles \"worker\").items }}{{ .metadata.name }}{{ end }}", given),
      "a");
  EXPECT_EQ(
      rendered("{{ hasNodesWithExactRoles \"worker\" \"infra\" }}{{ hasNodesWithExactRoles \"infra\" }}",
               given),
      "truefalse");
  EXPECT_EQ(rendered("{{ fromClusterClaim \"id\" }}{{ lookupClusterClaim \"none\" }}", given), "42");
  EXPECT_EQ(rendered("{{ range (lookup \"v1\" \"Pod\" \"n\" \"\" \"app=web\" \"tier\").items }}{{ "
                     ".metadata.name }}{{ end }}",
                     given),
            "p");
  EXPECT_EQ(rendered("{{ fromSecret \"n\" \"s\" \"k\" | base64dec }}", given), "v");
  EXPECT_EQ(resolved("{data: '{{ copySecretData \"n\" \"s\" }}'}", given), R"({"data":{"k":"dg=="}})");
  EXPECT_THAT(rendered("{{ fromConfigMap \"n\" \"gone\" \"k\" }}", given),
              HasSubstr("there is no v1 ConfigMap n/gone"));
  EXPECT_THAT(rendered("{{ fromClusterClaim \"none\" }}", given), HasSubstr("there is no"));
}

TEST(Templates, OnlyWhatIsAllowedIsLookedUp) {
  Settings given = settings(Side::Hub);
  given.only_namespace = "policies";
  given.only_cluster = "member1";
  const char* refused[] = {
      "{{hub fromConfigMap \"kube-system\" \"c\" \"k\" hub}}",
      "{{hub lookup \"v1\" \"Secret\" \"\" \"\" hub}}",
      "{{hub lookup \"v1\" \"Node\" \"\" \"n\" hub}}",
      "{{hub lookup \"cluster.open-cluster-management.io/v1\" \"ManagedCluster\" \"\" \"member2\" hub}}",
      "{{hub lookup \"cluster.open-cluster-management.io/v1\" \"ManagedCluster\" \"\" \"\" hub}}",
  };
  for (const char* text : refused)
    EXPECT_THAT(rendered(text, given), HasSubstr("may not be looked up here")) << text;
  const char* allowed[] = {
      "{{hub fromConfigMap \"policies\" \"c\" \"k\" hub}}",
      "{{hub lookup \"cluster.open-cluster-management.io/v1\" \"ManagedCluster\" \"\" \"member1\" hub}}",
  };
  for (const char* text : allowed) EXPECT_EQ(resolve_text(text, given)->missing.size(), 1U) << text;
}

TEST(Templates, RefusedLookupsAreErrors) {
  Answers answers;
  answers[{.api_version = "v1", .kind = "Secret", .namespace_ = "n", .name = "s"}] =
      fail(ErrorCode::Forbidden, "not yours");
  Settings given = settings();
  given.answers = &answers;
  EXPECT_EQ(rendered("{{ fromSecret \"n\" \"s\" \"k\" }}", given),
            "error: line 1, column 4: fromSecret: not yours");
}

TEST(Templates, SkipObject) {
  EXPECT_TRUE(resolve_text("{{ if eq .Number 7 }}{{ skipObject }}{{ end }}", settings())->is_skipped);
  EXPECT_FALSE(resolve_text("{{ skipObject false }}", settings())->is_skipped);
}

// Whatever a template does, it ends.
TEST(Templates, AreBounded) {
  const char* texts[] = {
      "{{ range until 100000000 }}x{{ end }}",
      "{{ repeat 1000000000 \"x\" }}",
      "{{ $s := \"x\" }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}",
      "{{ $s := list 1 }}{{ range until 60 }}{{ $s = list $s $s }}{{ end }}",
      "{{ range 2000 }}{{ range 2000 }}{{ range 2000 }}x{{ end }}{{ end }}{{ end }}",
      "{{ printf \"%999999999d\" 1 }}{{ printf \"%900000d%900000d\" 1 1 }}",
      "{{ indent 900 (repeat 90000 \"\\n\") }}",
      "{{ regexReplaceAll \"\" (repeat 900 \"x\") (repeat 90000 \"y\") }}",
      "{{ regexFindAll \"a(.*b)?\" (repeat 900000 \"a\") -1 }}",
      "{{ range until 90000 }}{{ regexMatch \"x{500}\" \"x\" }}{{ end }}",
      "{{ regexMatch \"((x{100}){100}){100}\" \"x\" }}",
      "{{ $b := repeat 900000 \" \" }}{{ range until 90000 }}{{ $x := toDate $b $b }}{{ end }}",
  };
  for (const char* text : texts) EXPECT_THAT(rendered(text), ::testing::StartsWith("error: ")) << text;
  std::string deep(5000, '(');
  EXPECT_THAT(rendered("{{ " + deep + " }}"), HasSubstr("nested too deeply"));
  std::string chain = "{{ if false }}";
  for (int i = 0; i < 5000; ++i) chain += "{{ else if false }}";
  EXPECT_THAT(rendered(chain + "{{ end }}"), HasSubstr("nested too deeply"));
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{{ if true }}";
  EXPECT_THAT(rendered(blocks), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace fairway::fleet::templates
